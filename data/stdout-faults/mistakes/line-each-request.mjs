/** Mistake: one whole line on stdout for each message that arrives. The transport's own listener is wrapped, none is added. */
const { stdin } = process;
const { on } = stdin;
stdin.on = (event, listener) =>
  on.call(stdin, event, event === 'data' ? (chunk) => announced(listener, chunk) : listener);

function announced(listener, chunk) {
  console.log('notes: a request');
  listener(chunk);
}
