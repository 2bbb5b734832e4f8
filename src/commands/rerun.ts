/** `measure rerun`: the calls of a recording against another build of the server. */
import { Args, Flags } from '@oclif/core';
import { MeasureCommand } from '../cli/command.js';
import { showRerun } from '../cli/show-rerun.js';
import type { FinishedRerun } from '../host/rerun/rerun.js';
import { parseRule, RULES } from '../host/rerun/rules.js';
import { PROTOCOLS } from '../study/protocols.js';

const LISTED = Object.entries(RULES).map(([name, meaning]) => `  ${name.padEnd(20)}${meaning}`);

export default class RerunCommand extends MeasureCommand {
  static override summary =
    'Make the recorded tool calls again, against another build of the server, and say what changed.';
  static override description =
    `Needs no model and no key. Each recorded trial meets a fresh server: handshake, the catalog where it was listed, then
its calls, one after another, with the recorded arguments. Compared are the catalog, each result (\`content\`,
\`structuredContent\`, \`isError\`; no other member, such as \`_meta\`), its size in bytes and estimated tokens, the verdict of its output schema, and whether the evidence of the recorded answer still stands in a
result. Everything goes into a log of its own, which the report names.

Arguments are sent as they were recorded: a cursor, or another value that the old server had minted, may mean nothing to
the new one, which shows as a call that fails now. Numbers beyond 2^53 are sent as JavaScript reads them. Calls that a
host never sent are left out, and said. Totals leave out calls that failed before or now.

The server is a command line, split as a shell splits it but with nothing expanded, or a URL; {trial}, {condition} and
{controls} in it mean those of each trial, and \`measure\` as its first word means this program.

Rules for --fail-if: NAME, "NAME > +N", and for amounts "NAME > +N%":
${LISTED.join('\n')}

Exit code 0: no rule is broken. 1: one is. 2: a rule, a server or a trial is not known. 3: the rerun could not be
finished, or the recording is damaged or was interrupted.`;
  static override examples = [
    `<%= config.bin %> rerun latest --server 'measure serve records --snapshot data/context-controls/snapshot.json --fields data/context-controls/fields.json --controls {controls}' --fail-if error --fail-if 'tokens > +5%'`,
    '<%= config.bin %> rerun latest --trial lookup/baseline/plain/1 --server https://example.com/mcp --header Authorization=MCP_AUTH',
    '<%= config.bin %> rerun latest --json -- node build/server.js --port 0',
  ];
  static override strict = false;
  static override args = {
    run: Args.string({
      required: true,
      description: 'A run id, a unique prefix, or `latest`, which passes over reruns.',
    }),
  };
  static override flags = {
    server: Flags.string({
      summary: 'The other build: a command line, or an http(s) URL. Or give the command after --.',
      helpValue: 'COMMAND|URL',
    }),
    trial: Flags.string({
      summary: 'Only this trial; may be given again.',
      multiple: true,
      multipleNonGreedy: true,
      helpValue: 'ID',
    }),
    'fail-if': Flags.string({
      summary: 'Exit with 1 where this rule is broken; may be given again.',
      multiple: true,
      multipleNonGreedy: true,
      helpValue: 'RULE',
    }),
    protocol: Flags.option({
      options: PROTOCOLS,
      summary: 'How to agree on a protocol, in place of how each trial was recorded.',
    })(),
    header: Flags.string({
      summary: 'A header for a URL and the variable that holds its whole value; may be given again.',
      multiple: true,
      multipleNonGreedy: true,
      helpValue: 'NAME=ENV_VAR',
    }),
    env: Flags.string({
      summary: 'A variable to hand on to a command; may be given again. Others do not reach it.',
      multiple: true,
      multipleNonGreedy: true,
      helpValue: 'ENV_VAR',
    }),
    timeout: Flags.integer({
      summary: 'Milliseconds for the handshake, each page of the catalog and each call.',
      min: 1,
      max: 3_600_000,
      default: 30_000,
      helpValue: 'MS',
    }),
  };

  async run(): Promise<FinishedRerun> {
    const { args, argv, flags } = await this.parse(RerunCommand);
    const rules = (flags['fail-if'] ?? []).map(parseRule);
    const { rerun } = await import('../host/rerun/rerun.js');
    const { exitOf } = await import('../host/rerun/report.js');
    const { signalExit } = await import('../host/signals.js');
    const result = await rerun({
      ...{ run: args.run, store: flags.store, trials: flags.trial ?? [], protocol: flags.protocol },
      ...{ server: flags.server, command: argv.slice(1).map(String), headers: flags.header ?? [] },
      ...{ env_from: flags.env ?? [], rules, timeoutMs: flags.timeout },
      onEvent: (event) => {
        if (event.type === 'close') this.note(`trial ${event.trial}: ${event.status}`);
      },
    });
    await this.print(showRerun(result));
    this.exitWith(result.signal === null ? exitOf(result) : signalExit(result.signal));
    return result;
  }
}
