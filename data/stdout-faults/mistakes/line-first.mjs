/** Mistake: one whole line on stdout before the handshake. */
console.log('notes: starting');
