/** The cases of cases.json as something to perform: which steps a moment has, and what each step does. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, readFileSync, writeSync } from 'node:fs';
import { setImmediate as breathe, setTimeout as sleep } from 'node:timers/promises';

const { cases, http_cases } = JSON.parse(readFileSync(new URL('cases.json', import.meta.url), 'utf8'));

const INFO = { name: 'misbehaving', version: '1' };
const LOOK = { name: 'look', description: 'Looks.', inputSchema: { type: 'object' } };
/** What a server that does nothing wrong answers. */
const ANSWERS = {
  initialize: ({ protocolVersion }) => ({ protocolVersion, capabilities: { tools: {} }, serverInfo: INFO }),
  'tools/list': () => ({ tools: [LOOK] }),
  'tools/call': () => ({ content: [{ type: 'text', text: '6' }] }),
};
/** Steps of the other moments where a case does not say. */
const OTHERS = {
  ...{ start: [], stdin_end: [{ exit: 0 }], GET: [{ head: [405, {}] }], DELETE: [{ head: [200, {}] }] },
};
const UNKNOWN = [{ error: { code: -32601, message: 'Method not found' } }];

/** A case under way: it counts how often each moment came, and remembers the ids of requests. */
export class Play {
  #counts = new Map();
  #ids = [];

  /** `launch`: the how manieth start of the server this is, or, over HTTP, the how manieth session. */
  constructor(name, launch = 1) {
    this.case = [...cases, ...http_cases].find((each) => each.name === name);
    if (this.case === undefined) throw new Error(`no case ${name} in cases.json`);
    this.launch = launch;
  }

  /** Whether the case says what happens at a moment. */
  minds(moment) {
    return Object.hasOwn(this.case.server ?? {}, moment);
  }

  /** Performs a moment, in answer to a message. `out` is stdout or an HTTP response. */
  async perform(moment, out, message = {}) {
    this.#counts.set(moment, (this.#counts.get(moment) ?? 0) + 1);
    if (message.method !== undefined && message.id !== undefined) this.#ids.push(message.id);
    for (const step of this.#stepsOf(moment)) {
      const { times = 1, ...action } = step === 'answer' ? { answer: true } : step;
      const [[name, value]] = Object.entries(action);
      const text = this.#fill(typeof value === 'string' ? value : JSON.stringify(value), message);
      await ACTIONS[name](typeof value === 'string' ? text.repeat(times) : JSON.parse(text), out, message);
    }
  }

  /** Those of its second time or of this launch, where the case has such, come first. */
  #stepsOf(moment) {
    const { server = {} } = this.case;
    const mine = { ...server, ...server[`launch ${this.launch}`] };
    const second = this.#counts.get(moment) === 2 ? mine[`second ${moment}`] : undefined;
    const usual = Object.hasOwn(ANSWERS, moment) ? ['answer'] : UNKNOWN;
    return second ?? mine[moment] ?? OTHERS[moment] ?? usual;
  }

  /** "$id" is the id of this request, "$previous" of the one before, "$n" how often this moment came, as a string. */
  #fill(text, { id = null, method }) {
    const previous = this.#ids.at(-2) ?? null;
    const values = { id, previous, n: String(this.#counts.get(method)) };
    return text.replace(/"\$(id|previous|n)"/g, (_, name) => JSON.stringify(values[name]));
  }
}

/** What each step does, by its name. */
const ACTIONS = {
  answer: (_, out, { id, method, params }) => respond(out, id, { result: ANSWERS[method](params) }),
  text: (text, out, { id }) => respond(out, id, { result: { content: [{ type: 'text', text }] } }),
  tools: (tools, out, { id }) => respond(out, id, { result: { tools } }),
  result: (result, out, { id }) => respond(out, id, { result }),
  error: (error, out, { id }) => respond(out, id, { error }),
  send: (message, out) => out.message(JSON.stringify(message)),
  line: (text, out) => out.line(text),
  write: (text, out) => out.write(text),
  hex: (digits, out) => out.write(Buffer.from(digits, 'hex')),
  write_for_ever: async (text, out) => {
    for (; !out.isGone(); await breathe()) out.write(text);
  },
  stderr: (text) => writeAll(2, Buffer.from(text)),
  wait: (ms) => sleep(ms),
  exit: (code) => process.exit(code),
  kill: (signal) => process.kill(process.pid, signal),
  ignore: (signal) => process.on(signal, () => undefined),
  stop_reading: () => process.stdin.pause(),
  close: (descriptor) => {
    if (descriptor === 0) process.stdin.destroy();
    closeSync(descriptor);
  },
  spawn: grandchild,
  head: ([status, headers], out) => out.head(status, headers),
  socket: (text, out) => out.socket(text),
  cut: (_, out) => out.cut(),
};

function respond(out, id, outcome) {
  out.message(JSON.stringify({ jsonrpc: '2.0', id, ...outcome }));
}

/** Starts a process that outlives this one, on the same stdout, and waits until it has run `code`. */
async function grandchild({ code = '', detached = false, lives_ms = 20_000 }) {
  const program = `${code}; process.send('up'); setTimeout(() => process.exit(), ${lives_ms})`;
  const stdio = ['ignore', 'inherit', 'inherit', 'ipc'];
  const child = spawn(process.execPath, ['-e', program], { stdio, detached });
  await once(child, 'message');
  child.disconnect();
  child.unref();
}

/** Writes synchronously, so that nothing waits in this process when it ends. */
export function writeAll(descriptor, bytes) {
  for (let at = 0; at < bytes.length; ) at += writeSync(descriptor, bytes, at);
}
