/** Mistake: text on stdout without a newline, so that it stands before the next message on its line. */
process.stdout.write('loading... ');
