/** The pass-through: bytes from the host to the server and back, verbatim, and copies to a listener. */
import type { ChildProcess } from 'node:child_process';
import { createWriteStream, fstatSync } from 'node:fs';
import { Socket } from 'node:net';
import type { Readable, Writable } from 'node:stream';
import { whenQuiet } from '../wire/quiet.js';

/** Which way bytes go. */
export type Direction = 'to_server' | 'to_client';

/** Hears a copy of everything that passes. */
export interface Hears {
  chunk(direction: Direction, bytes: Buffer): void;
  /** The server runs. */
  started(pid: number): void;
  /** No more comes from there. */
  over(direction: Direction): void;
  /** Whether so little is waiting to be logged that more may be read. */
  isReady(): boolean;
  /** Resolves when that is so. */
  ready(): Promise<void>;
}

/** How the server ended. */
export interface Ended {
  exit_code: number | null;
  signal: NodeJS.Signals | null;
  /** Why it could not be started, else null. */
  error: Error | null;
}

/**
 * Passes bytes until the server has ended and all of its output is with the host, which then sees its end, or is gone.
 * Never rejects.
 */
export async function pass(child: ChildProcess, hears: Hears): Promise<Ended> {
  const { stdin, stdout } = child;
  if (stdin === null || stdout === null) throw new Error('the server has no pipes');
  const out = standardOutput();
  const ended = endOf(child);
  child.once('spawn', () => hears.started(child.pid ?? 0));
  stdin.on('error', () => process.stdin.destroy()); // it no longer reads: the host's next write will tell it
  void pump(process.stdin, stdin, (bytes) => hears.chunk('to_server', bytes), hears).then(() => {
    hears.over('to_server');
    stdin.end();
  });
  out.on('error', () => stdout.destroy()); // the host is gone: the server's next write will tell it
  let received = 0;
  const hear = (bytes: Buffer) => {
    received += bytes.length;
    hears.chunk('to_client', bytes);
  };
  const passed = pump(stdout, out, hear, hears).then(() => endOfOutput(out));
  const { error, ...exit } = await ended;
  if (error === null) {
    const isHeld = () => stdout.isPaused() || out.writableLength > 0;
    await Promise.race([passed, quiet(() => received, isHeld)]);
    await endOfOutput(out);
  }
  hears.over('to_client');
  process.stdin.destroy();
  return { ...exit, error };
}

/** Standard output as a stream that can be closed, which `process.stdout` cannot: the host is to see the end of it. */
function standardOutput(): Writable {
  const stat = fstatSync(1);
  return stat.isFIFO() || stat.isSocket()
    ? new Socket({ fd: 1, readable: false, writable: true })
    : createWriteStream('', { fd: 1 });
}

/** Resolves once all is written and the other side can see its end, or is gone. */
function endOfOutput(out: Writable): Promise<void> {
  return new Promise((resolve) => {
    if (out.destroyed || out.writableFinished) resolve();
    for (const event of ['finish', 'error', 'close']) out.once(event, () => resolve());
    out.end();
  });
}

function endOf(child: ChildProcess): Promise<Ended> {
  return new Promise((resolve) => {
    child.once('error', (error) => resolve({ exit_code: null, signal: null, error }));
    child.once('exit', (exit_code, signal) => resolve({ exit_code, signal, error: null }));
  });
}

/** What the server started may hold its output open for ever. While the host does not read, nothing can be said. */
function quiet(received: () => number, isHeld: () => boolean): Promise<void> {
  return new Promise((resolve) => {
    whenQuiet(received, resolve, isHeld);
  });
}

/** Passes chunks on as they come; reads no more while the other side, or the log, is behind. Resolves at the end. */
function pump(from: Readable, to: Writable, hear: (bytes: Buffer) => void, hears: Hears): Promise<void> {
  const drained = roomIn(to);
  return new Promise((resolve) => {
    from.on('data', (bytes: Buffer) => {
      // First kept, then passed on: a tap that is killed has all that the other side has seen.
      hear(bytes);
      const room = to.write(bytes);
      if (room && hears.isReady()) return;
      from.pause();
      void Promise.all([room || drained(), hears.ready()]).then(() => from.resume());
    });
    for (const event of ['end', 'error', 'close']) from.once(event, () => resolve());
  });
}

/** Gives a function whose promise resolves once a stream takes more, or will take nothing any more. */
function roomIn(to: Writable): () => Promise<void> {
  let wake: () => void = () => undefined;
  for (const event of ['drain', 'error', 'close']) to.on(event, () => wake());
  return () =>
    new Promise((resolve) => {
      wake = resolve;
      if (to.destroyed) resolve();
    });
}
