/** Streams and transcripts that no version of the command should write, made of captures of the real one. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Capture } from './capture.js';
import {
  callsOf,
  captureOf,
  faultsOf,
  of,
  receiptOf,
  relined,
  tell,
  turnsOf,
  verdictOf,
} from './captures.test.support.js';
import type { Story } from './story.js';

/** The same change in every line of stream, transcript and log. */
function everywhere(capture: Capture, change: (bytes: Buffer) => Buffer): Capture {
  const changed = ({ file, bytes }: { file: string; bytes: Buffer }) => ({ file, bytes: change(bytes) });
  return {
    ...{ ...capture, stream: change(capture.stream) },
    ...{ transcripts: capture.transcripts.map(changed), mcpLogs: capture.mcpLogs.map(changed) },
  };
}

const CAPTURE = captureOf('ok-search-off');
const STORY = tell(CAPTURE);
const of2 = (change: (bytes: Buffer) => Buffer): Story => tell(everywhere(CAPTURE, change));
const each = (change: (line: string, index: number) => string | undefined) =>
  of2((bytes) => relined(bytes, change));
const added = (more: string) => of2((bytes) => Buffer.concat([Buffer.from(more), bytes, Buffer.from(more)]));

describe('the story is the same', () => {
  it('with lines of types and fields that are not known', () => {
    assert.deepEqual(added('{"type":"new","subtype":"init","message":{"id":1}}\n{"a":1}\n{}\n'), STORY);
    assert.deepEqual(
      turnsOf(each((line) => line.replace('{', '{"new":[{"type":"result"}],'))),
      turnsOf(STORY),
    );
  });

  it('with lines that end in CR LF, with blank ones, and with a last one without its end', () => {
    assert.deepEqual(
      of2((bytes) => relined(bytes, (line) => `${line}\r`)),
      STORY,
    );
    assert.deepEqual(
      of2((bytes) => relined(bytes, (line) => `\n${line}\n  `)),
      STORY,
    );
    assert.deepEqual(
      of2((bytes) => bytes.subarray(0, -1)),
      STORY,
    );
  });

  it('with lines of a transcript that stand twice', () => {
    assert.deepEqual(
      each((line) => (line.includes('"type":"result"') ? line : `${line}\n${line}`)),
      STORY,
    );
  });

  it('with a line of 10 MB', () => {
    assert.deepEqual(added(`{"type":"new","text":"${'x'.repeat(10_000_000)}"}\n`), STORY);
  });
});

describe('what could not be read is told', () => {
  it('of lines that are not JSON, or no object, or too deep', () => {
    const odd = `warning: x\n[1]\nnull\n"text"\n{"type":"result"\n${'['.repeat(5000)}${']'.repeat(5000)}\n`;
    const story = tell({ ...CAPTURE, stream: Buffer.concat([Buffer.from(odd), CAPTURE.stream]) });
    assert.deepEqual(faultsOf(story), ['ODD_LINES']);
    assert.match(of(story.bodies, 'fault')[0]?.message ?? '', /^6 lines/);
    assert.equal(verdictOf(story), 'completed');
  });

  it('of invalid UTF-8', () => {
    const stream = Buffer.concat([Buffer.from([0xff, 0xfe, 0x0a, 0xc3, 0x28, 0x0a]), CAPTURE.stream]);
    assert.deepEqual(faultsOf(tell({ ...CAPTURE, stream })), ['ODD_LINES']);
  });
});

describe('fields of another type are as if they were absent', () => {
  it('in the init line: then no server is connected', () => {
    const story = each((line) => line.replace('"mcp_servers":[', '"mcp_servers":7,"were":['));
    assert.equal(verdictOf(story), 'SERVER_NOT_CONNECTED');
    assert.deepEqual(story.end.servers, []);
  });

  it('in the result: what does not say that it is a success is none', () => {
    const changed = (from: string, to: string) => verdictOf(each((line) => line.replace(from, to)));
    assert.equal(changed('"is_error":false,"num_turns"', '"is_error":"false","num_turns"'), 'HOST_ERROR');
    assert.equal(changed('"is_error":false,"num_turns"', '"num_turns"'), 'HOST_ERROR');
    assert.equal(changed('"subtype":"success"', '"subtype":"new"'), 'HOST_ERROR');
    assert.equal(changed('"terminal_reason":"completed"', '"terminal_reason":"new"'), 'HOST_ERROR');
    assert.equal(changed('"api_error_status":null', '"api_error_status":500'), 'HOST_ERROR');
  });

  it('in the result: what only counts is null', () => {
    const story = each((line) =>
      line
        .replace('"num_turns":3', '"num_turns":-3.5')
        .replace('"total_cost_usd":', '"total_cost_usd":"much","cost":')
        .replace('"permission_denials":[]', '"permission_denials":{}'),
    );
    assert.equal(story.end.num_turns, null);
    assert.equal(story.end.cost_usd, null);
    assert.deepEqual(story.end.permission_denials, []);
    assert.equal(verdictOf(story), 'completed');
  });

  it('in a message: usage that makes no sense is kept, and counts as not known', () => {
    const story = each((line) => line.replace('"usage":{"input_tokens":3,', '"usage":{"input_tokens":"3",'));
    assert.equal(receiptOf(story).totals.turns_without_usage, 1);
    assert.deepEqual(faultsOf(story), ['USAGE_DIFFERS']);
  });

  it('in a tool_result', () => {
    const story = each((line) =>
      line.replaceAll('"content":[{"type":"text"', '"content":7,"was":[{"type":"text"'),
    );
    assert.deepEqual(callsOf(story), callsOf(STORY));
    assert.equal(of(story.bodies, 'tool_call')[0]?.model_facing_text, '');
  });
});

describe('lines in another order', () => {
  it('give the same turns, in the order in which they stand', () => {
    const story = of2((bytes) =>
      Buffer.from(`${bytes.toString().trimEnd().split('\n').reverse().join('\n')}\n`),
    );
    assert.deepEqual(turnsOf(story), ['1 msg_3 end_turn', '2 msg_2 tool_use', '3 msg_1 tool_use']);
    assert.deepEqual(callsOf(story), ['3 server search_notes ok', '2 server read_note ok']);
    assert.equal(verdictOf(story), 'STOP_UNKNOWN');
  });
});

describe('nothing at all', () => {
  it('is a launch that may be made again', () => {
    const nothing = {
      stream: Buffer.alloc(0),
      stderr: Buffer.alloc(0),
      transcripts: [],
      mcpLogs: [],
      tapped: [],
    };
    const story = tell({ ...CAPTURE, ...nothing });
    assert.equal(verdictOf(story), 'HOST_NO_OUTPUT, again');
    assert.deepEqual(story.bodies, []);
    assert.equal(story.end.result, null);
  });

  it('is what a text is that the command printed in place of its stream', () => {
    const story = tell({ ...CAPTURE, stream: Buffer.from('Segmentation fault\n') });
    assert.equal(verdictOf(story), 'HOST_NO_OUTPUT, again');
    assert.ok(faultsOf(story).includes('ODD_LINES'));
  });
});
