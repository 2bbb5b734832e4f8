/** `measure sql`: questions about many runs, in SQL. */
import { Args, Flags } from '@oclif/core';
import { stringify } from 'lossless-json';
import { MeasureCommand, Store } from '../cli/command.js';
import { writeOut } from '../cli/stdout.js';
import { Problem } from '../events/problem.js';

export default class Sql extends MeasureCommand {
  static override summary = 'Ask the recorded events a question in SQL (DuckDB).';
  static override description =
    `One SELECT over runs, trials, handshakes, catalogs, turns, tool_calls, faults, grades and events; --schema explains every
column. It cannot read or write a file. Only events that the log's own reader accepted are there; damaged lines are
counted on stderr, and make the exit code 3.`;
  static override examples = [
    '<%= config.bin %> sql "SELECT run, condition, usage_source, sum(input_tokens) AS tokens FROM trials WHERE final AND verdict = \'pass\' GROUP BY ALL ORDER BY ALL"',
    '<%= config.bin %> sql --schema',
  ];
  static override args = { query: Args.string({ description: 'One SELECT statement.' }) };
  static override flags = {
    format: Flags.option({
      options: ['table', 'json', 'jsonl', 'csv', 'markdown'] as const,
      summary: 'How rows are printed.',
      default: 'table',
    })(),
    schema: Flags.boolean({ summary: 'Print every table and column with its meaning and unit.' }),
    timeout: Flags.integer({
      summary: 'Seconds after which the query is ended.',
      default: 60,
      min: 1,
      helpValue: 'S',
    }),
  };

  async run(): Promise<unknown> {
    const { args, flags } = await this.parse(Sql);
    const { describeTables, TABLES } = await import('../analysis/sql/tables.js');
    if (flags.schema) {
      await this.print(describeTables());
      return { tables: TABLES };
    }
    if (args.query === undefined) {
      const todo = 'give one, or see the tables with --schema';
      throw new Problem({ code: 'QUERY_REQUIRED', what: 'there is no query', todo });
    }
    const { querySql } = await import('../analysis/sql/query.js');
    const { formatResult } = await import('../analysis/sql/format.js');
    const result = await querySql(new Store(flags.store), args.query, { timeoutMs: flags.timeout * 1000 });
    for (const { run, lines, first } of result.damaged)
      this.note(`${run}: ${lines} damaged lines are left out: ${first}`);
    if (result.damaged.length > 0) this.exitWith(3);
    await this.printExactly(formatResult(result, flags.format, process.stdout.columns));
    return result;
  }

  /** Integers of any size are printed digit by digit. */
  override logJson(json: unknown): void {
    void writeOut(`${stringify(json, null, 2) ?? 'null'}\n`);
  }
}
