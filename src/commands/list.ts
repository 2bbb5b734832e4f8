/** `measure list`: the runs of a store. */
import { listRuns, type RunLine } from '../analysis/list.js';
import { MeasureCommand, Store } from '../cli/command.js';
import { integer, renderTable } from '../cli/table.js';

export default class List extends MeasureCommand {
  static override summary = 'List the runs of a store, oldest first.';
  static override examples = ['<%= config.bin %> list', '<%= config.bin %> list --json'];

  async run(): Promise<{ runs: RunLine[] }> {
    const { flags } = await this.parse(List);
    const runs = listRuns(new Store(flags.store));
    if (runs.length === 0) this.note(`no run in ${flags.store}: record one with \`measure record STUDY\``);
    else await this.print(render(runs));
    return { runs };
  }
}

function render(runs: RunLine[]): string {
  const columns = [
    { name: 'run' },
    { name: 'study' },
    { name: 'model' },
    { name: 'status' },
    { name: 'trials', align: 'right' as const },
    { name: 'pass', align: 'right' as const },
    { name: 'fail', align: 'right' as const },
    { name: 'overrides', align: 'right' as const },
    { name: 'input tokens', align: 'right' as const },
    { name: 'output tokens', align: 'right' as const },
    { name: 'tokens by' },
  ];
  const rows = runs.map((run) => [
    ...[run.run, run.study ?? '–', run.model ?? '–', statusOf(run)],
    ...[run.trials, run.pass, run.fail, run.overrides, run.input_tokens, run.output_tokens].map(integer),
    run.usage_source,
  ]);
  return renderTable(columns, rows);
}

function statusOf(run: RunLine): string {
  const notes = [...(run.damaged ? ['damaged'] : []), ...(run.grades === 'ok' ? [] : ['grades unreadable'])];
  return [run.status, ...notes].join(', ');
}
