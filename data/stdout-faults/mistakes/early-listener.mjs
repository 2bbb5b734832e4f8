/** Mistake: a listener on stdin before the transport's, which reads what arrives before the transport listens. */
process.stdin.on('data', (chunk) => console.error(`notes: ${chunk.length} bytes`));
