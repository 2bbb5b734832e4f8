/** A replayed run for people: each trial, its turns and calls, and whether each request could be rebuilt. */

import { isVerified, type Replay, type RequestCheck } from '../events/replay.js';
import type { RunReceipt } from '../events/run-receipt.js';
import type { CallReceipt, LaunchReceipt, TrialReceipt, TurnReceipt } from '../events/trial-receipt.js';
import { totalInput } from '../events/usage.js';
import { visible } from '../events/visible.js';
import { integer } from './table.js';

export function showReplay(run: string, replayed: Replay): string {
  const { receipt, requests, damage } = replayed;
  const lines = [
    `run ${run}`,
    ...(receipt === null ? ['  no readable run_open: nothing can be rebuilt'] : showRun(receipt)),
    ...(receipt === null ? [] : receipt.attempts.flatMap((trial) => showTrial(trial, requests))),
    ...damage.map(
      (line) =>
        `  line ${line.number}, ${line.length} bytes at ${line.offset}: ${line.kind}: ${line.detail ?? ''}`,
    ),
    summary(replayed),
  ];
  return lines.join('\n');
}

function showRun(receipt: RunReceipt): string[] {
  const { open } = receipt;
  const ended = receipt.signal === null ? receipt.status : `${receipt.status} by ${receipt.signal}`;
  return [
    `  study ${open.study.name}, host ${open.host ?? '–'}, model ${open.model ?? '–'}, opened ${receipt.opened_at}`,
    `  ${ended}${receipt.failure === null ? '' : `: ${said(receipt)}`}; ${receipt.events} events`,
    ...receipt.faults.map((fault) => `  ${fault.severity} ${fault.code}: ${fault.message}`),
  ];
}

function showTrial(trial: TrialReceipt, requests: RequestCheck[]): string[] {
  const checks = requests.filter((request) => request.trial === trial.trial);
  const failure = trial.failure === null ? '' : ` ${trial.failure}: ${visible(trial.message ?? '')}`;
  const doubt = trial.status === 'in_doubt' ? ': the last model call may have been billed' : '';
  const server =
    trial.server === null
      ? []
      : [
          `    server ${trial.server.name ?? '–'} ${trial.server.version ?? ''}, protocol ${trial.server.protocol_version}`,
        ];
  return [
    `  ${trial.trial}: ${trial.status}${failure}${doubt}`,
    ...trial.launches.map((launch) => `    ${showLaunch(launch)}`),
    ...server,
    ...trial.turns.flatMap((turn) => [
      `    ${showTurn(turn)}; ${showChecks(checks.filter((check) => check.turn === turn.turn))}`,
      ...trial.calls.filter((call) => call.turn === turn.turn).map((call) => `      ${showCall(call)}`),
    ]),
    ...trial.calls.filter((call) => call.turn === null).map((call) => `    ${showCall(call)}`),
    ...trial.faults.map((fault) => `    ${fault.severity} ${fault.code}: ${visible(fault.message)}`),
    ...(trial.more_faults === 0 ? [] : [`    and ${integer(trial.more_faults)} more faults`]),
    ...oddEnd(trial),
    ...(trial.answer_text === null ? [] : [`    answer ${visible(trial.answer_text)}`]),
  ];
}

/** An end by a signal, or with an exit code that is none of success. */
function oddEnd({ closed }: TrialReceipt): string[] {
  const { signal = null, exit_code = null, how = '' } = closed ?? {};
  if (signal === null && (exit_code ?? 0) === 0) return [];
  return [`    the server ended by ${signal ?? `exit code ${exit_code}`} (${how})`];
}

function showLaunch(launch: LaunchReceipt): string {
  const { outcome, exit_code, signal, elapsed_ms, version, connect_ms, servers } = launch;
  const end = signal ?? `exit ${exit_code ?? '–'}`;
  const states = servers.map(({ name, status }) => `${visible(name)} ${visible(status)}`).join(', ');
  const connected = connect_ms === null ? '' : ` in ${integer(connect_ms)} ms`;
  const facts = [
    ...(version === null ? [] : [`version ${visible(version)}`]),
    ...(states === '' ? [] : [`${states}${connected}`]),
  ];
  const took = elapsed_ms === null ? 'no end in the log' : `${outcome}, ${end}, ${integer(elapsed_ms)} ms`;
  return [`launch ${launch.launch}: ${took}`, ...facts].join('; ');
}

function showTurn(turn: TurnReceipt): string {
  if (!turn.answered) return `turn ${turn.turn}: no answer after ${turn.attempts} attempts`;
  const { usage } = turn;
  const source = turn.usage_source === 'estimate' ? ' (estimate)' : '';
  const tokens =
    usage === null
      ? 'usage unreadable'
      : `${integer(totalInput(usage))} in, ${integer(usage.output_tokens)} out${source}`;
  return `turn ${turn.turn}: ${turn.stop_reason ?? '–'}, ${tokens}, ${turn.elapsed_ms === null ? '–' : turn.elapsed_ms} ms`;
}

function showChecks(checks: RequestCheck[]): string {
  const wrong = checks.find((check) => !check.holds);
  const request = checks.at(-1);
  if (request === undefined) return 'the host made the request, unseen';
  if (wrong === undefined)
    return `request ${request.kept ? 'kept' : 'rebuilt'}: ${integer(request.rebuilt_bytes)} bytes, sha256 holds`;
  const { request_bytes, request_sha256, rebuilt_bytes, rebuilt_sha256 } = wrong;
  return `REQUEST DIFFERS: sent ${request_bytes} bytes ${request_sha256.slice(0, 16)}…, rebuilt ${rebuilt_bytes} bytes ${rebuilt_sha256.slice(0, 16)}…`;
}

function showCall(call: CallReceipt): string {
  const structured = call.structured_bytes === 0 ? '' : ` + structured ${integer(call.structured_bytes)} B`;
  const facing = call.model_facing_sha256 === null ? '–' : `${integer(call.model_facing_bytes)} B`;
  const sizes = `wire ${integer(call.wire_bytes)} B, content ${integer(call.content_bytes)} B${structured}, model-facing ${facing}`;
  const detail = call.schema_detail === null ? '' : ` (${visible(call.schema_detail)})`;
  const broken = BROKEN.includes(call.schema_verdict)
    ? `, output schema: ${call.schema_verdict}${detail}`
    : '';
  const whose = call.origin === 'host' ? "the host's own, " : '';
  const how = call.is_error ? `${call.error_code ?? 'error'}, ` : '';
  return `${call.tool} ${visible(JSON.stringify(call.arguments))}: ${whose}${how}${sizes}, ${call.elapsed_ms} ms${broken}`;
}

/** Verdicts on structured content that a person should see. */
const BROKEN = ['invalid', 'missing', 'schema_broken'];

function summary(replayed: Replay): string {
  const { requests, damage, receipt } = replayed;
  const rebuilt = requests.filter((request) => request.holds).length;
  const verdict = isVerified(replayed) ? 'verified' : 'NOT verified';
  const why = [
    ...(rebuilt < requests.length ? [`${requests.length - rebuilt} requests differ`] : []),
    ...(damage.length > 0 ? [`${damage.length} damaged lines`] : []),
    ...(receipt === null || receipt.status === 'interrupted' ? ['the run never closed'] : []),
  ];
  return `  ${verdict}: ${rebuilt} of ${requests.length} requests rebuilt byte for byte${why.length === 0 ? '' : `; ${why.join(', ')}`}`;
}

/** Code and message of a failed run; most start-up messages begin with their code, or with file, line and code. */
function said({ startup_code, failure, message }: RunReceipt): string {
  const code = startup_code ?? failure ?? '';
  return visible(message?.includes(`${code}: `) ? message : `${code}: ${message ?? ''}`);
}
