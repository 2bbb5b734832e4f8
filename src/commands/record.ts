/** `measure record`: runs a study and logs every event. */
import { Args, Errors, Flags } from '@oclif/core';
import { MeasureCommand } from '../cli/command.js';
import { openProgress } from '../cli/progress.js';
import { showPlan, showRecording, showRest } from '../cli/show-record.js';
import { Problem } from '../events/problem.js';
import type { Ceiling } from '../host/ceiling.js';
import type { Told } from '../host/record.js';
import { PROTOCOLS } from '../study/protocols.js';

interface RecordResult {
  run: string | null;
  log: string | null;
  status: string;
  trials: number;
  failed: { trial: string; failure: string | null; message: string | null }[];
  ceiling: Ceiling | null;
}

export default class Record extends MeasureCommand {
  static override summary = 'Run a study and append every event to a log.';
  static override description =
    `With the scripted model of a study this needs no key and no network. With --model it makes billable calls
to ANTHROPIC_BASE_URL (Anthropic's own API where unset) with the key in ANTHROPIC_API_KEY; what it is about to do and
the most that it can spend are printed first, and --dry-run stops there.

A run that a signal, a crash or a power cut ended can be gone on with by --resume, as long as its study and every frozen
input are what they were: trials that ended stay, and one that was under way is run again, as its next attempt.

Exit code 0: every trial ended with an answer. 2: a start-up check failed, and the log says which. 3: a trial failed.`;
  static override examples = [
    '<%= config.bin %> record data/context-controls',
    '<%= config.bin %> record data/context-controls --condition baseline --condition optimized --repetitions 2 --seed 7',
    '<%= config.bin %> record data/context-controls --trials 6 --concurrency 2',
    '<%= config.bin %> record data/context-controls --model claude-sonnet-4-5 --budget-usd 2 --dry-run',
  ];
  static override args = {
    study: Args.string({
      description: 'Folder with a study.yaml, or such a file. Not with --resume, which knows it.',
    }),
  };
  static override flags = {
    model: Flags.string({
      char: 'm',
      summary: 'Model id; implies --host messages. MEASURE_MODEL names one for --host messages.',
      helpValue: 'ID',
    }),
    host: Flags.option({
      options: ['scripted', 'messages', 'claude-code'] as const,
      summary: 'Which host drives the model.',
    })(),
    condition: Flags.string({
      summary: 'Only these conditions, separated by commas, or the flag again.',
      multiple: true,
      multipleNonGreedy: true,
      delimiter: ',',
      helpValue: 'NAME',
    }),
    task: Flags.string({
      summary: 'Only these tasks, separated by commas, or the flag again.',
      multiple: true,
      multipleNonGreedy: true,
      delimiter: ',',
      helpValue: 'ID',
    }),
    repetitions: Flags.integer({ summary: 'Repetitions of each trial.', min: 1, max: 1000, helpValue: 'N' }),
    seed: Flags.integer({
      summary: 'Seed of the order of trials; drawn and recorded where absent.',
      min: 0,
      max: 2 ** 31 - 1,
      helpValue: 'N',
    }),
    trials: Flags.integer({
      summary: 'Only so many of the trials, drawn from the seed and spread over the conditions.',
      min: 1,
      helpValue: 'N',
    }),
    concurrency: Flags.integer({
      summary: 'Trials that are under way at once, in the one log (1).',
      min: 1,
      max: 64,
      helpValue: 'N',
    }),
    resume: Flags.string({
      summary: 'Go on with a run that was interrupted: its id, the beginning of it, or latest.',
      helpValue: 'RUN',
      exclusive: [
        ...['model', 'host', 'condition', 'task', 'repetitions', 'seed', 'trials', 'protocol', 'dry-run'],
      ],
    }),
    claude: Flags.string({
      summary: 'The command of Claude Code, for --host claude-code; the one on PATH where absent.',
      env: 'MEASURE_CLAUDE',
      helpValue: 'PATH',
    }),
    proxy: Flags.boolean({
      summary:
        'Put a recording proxy between Claude Code and the API: every request exactly, usage a request.',
    }),
    'budget-tokens': Flags.integer({
      summary: 'Stop before a call that could pass this many tokens.',
      min: 1,
      helpValue: 'N',
    }),
    'budget-usd': Flags.custom<number>({
      summary: 'Stop before a call that could cost more than this.',
      helpValue: 'X',
      parse: positive,
    })(),
    protocol: Flags.option({
      options: PROTOCOLS,
      summary: 'How to agree on a protocol with every server, in place of what the study says.',
    })(),
    'dry-run': Flags.boolean({ summary: 'Print what would be done and the most it can spend, and stop.' }),
  };

  async run(): Promise<RecordResult> {
    const { args, flags } = await this.parse(Record);
    const study = studyOf(args.study, flags.resume);
    const choice = {
      ...{
        study,
        host: flags.host,
        model: flags.model,
        conditions: flags.condition,
        tasks: flags.task,
      },
      ...{ repetitions: flags.repetitions, seed: flags.seed, protocol: flags.protocol, sample: flags.trials },
      ...{ concurrency: flags.concurrency, claude: flags.claude, proxy: flags.proxy },
      ...{ budgetTokens: flags['budget-tokens'], budgetUsd: flags['budget-usd'] },
    };
    if (flags['dry-run']) {
      const { ceilingOf } = await import('../host/ceiling.js');
      const { prepare } = await import('../host/prepare.js');
      const prepared = prepare(choice, process.env, { sends: false });
      await this.print(showPlan(prepared, ceilingOf(prepared)));
      return {
        run: null,
        log: null,
        status: 'planned',
        trials: prepared.trials.length,
        failed: [],
        ceiling: ceilingOf(prepared),
      };
    }
    const { isComplete, record, resume } = await import('../host/record.js');
    const { signalExit } = await import('../host/signals.js');
    const progress = openProgress(process.stderr);
    let ceiling: Ceiling | null = null;
    const told: Told = {
      onPlan: (prepared, plan) => {
        ceiling = plan.ceiling;
        const total = prepared.trials.length + prepared.probes.length;
        this.note(plan.resumes ? showRest(prepared, plan) : showPlan(prepared, plan.ceiling));
        this.note(`log: ${plan.log}`);
        progress.start(total, total - plan.left);
      },
      onFailedStart: (log) => this.note(`a receipt of this failed start is kept: ${log}`),
      onEvent: (event) => progress.event(event),
    };
    const { store, resume: run } = flags;
    const recording = await (run === undefined
      ? record({ ...choice, ...told, store })
      : resume({ ...choice, ...told, store, run })
    ).finally(() => progress.stop());
    const { receipt, signal, log } = recording;
    await this.print(showRecording(recording));
    if (signal !== null) this.exitWith(signalExit(signal));
    else if (!isComplete(receipt)) this.exitWith(3);
    const failed = receipt.attempts.filter((trial) => trial.status === 'failed');
    return {
      ...{
        run: recording.run,
        log,
        status: receipt.status,
        trials: receipt.open.plan?.trials.length ?? 0,
        ceiling,
      },
      failed: failed.map(({ trial, failure, message }) => ({ trial, failure, message })),
    };
  }
}

function studyOf(study: string | undefined, resume: string | undefined): string {
  if ((study === undefined) !== (resume === undefined)) return study ?? '';
  const what = study === undefined ? 'no study is named' : 'a run that is gone on with has its study already';
  const todo =
    study === undefined ? 'name one, such as data/context-controls' : 'leave the study, or --resume, away';
  throw new Problem({ code: 'INVALID_ARGUMENTS', what, todo });
}

async function positive(text: string): Promise<number> {
  const value = /^\d+(\.\d+)?$/.test(text) ? Number(text) : 0;
  if (value <= 0)
    throw new Errors.CLIError(`expected an amount of dollars over 0, such as 1.50, not "${text}"`);
  return value;
}
