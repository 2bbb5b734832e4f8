/** `measure doctor`: what will go wrong with an MCP server, and why. */
import { Args, Flags } from '@oclif/core';
import { MeasureCommand } from '../cli/command.js';
import { openSteps } from '../cli/doctor-steps.js';
import { showExamination, showSummary } from '../cli/show-doctor.js';
import type { Visit } from '../host/doctor/doctor.js';

export default class Doctor extends MeasureCommand {
  static override summary =
    'Examine an MCP server: launches, stdout, catalog cost, names, results and its end.';
  static override description =
    `Starts the server as hosts do, in both protocol eras, and shows each finding with its evidence, why it matters, and what to do.
It changes nothing: a tool is called only if it says that it only reads and needs no arguments, or if --call names it.
The server gets an allow-list of environment variables; --env adds to it.

Exit code 0: nothing fatal. 1: a fatal finding. 2: usage.`;
  static override examples = [
    '<%= config.bin %> doctor -- node server.js',
    '<%= config.bin %> doctor https://example.com/mcp',
    '<%= config.bin %> doctor --config .mcp.json',
  ];
  static override usage = [
    'doctor [FLAGS] -- COMMAND [ARGUMENTS]',
    'doctor [FLAGS] URL',
    'doctor [FLAGS] --config FILE [--server NAME]',
  ];
  static override strict = false;
  static override args = {
    server: Args.string({ description: 'The command of a server, after --, or a URL.', ignoreStdin: true }),
  };
  static override flags = {
    config: Flags.string({
      summary: "A host's configuration file: every server under mcpServers.",
      helpValue: 'FILE',
    }),
    server: Flags.string({
      summary: 'Only this server of the file.',
      helpValue: 'NAME',
      dependsOn: ['config'],
    }),
    name: Flags.string({
      summary: 'The name that hosts know the server by; its own by default.',
      helpValue: 'NAME',
      exclusive: ['config'],
    }),
    env: Flags.string({
      summary: 'A variable that the server is given: NAME=VALUE, or NAME for the value here.',
      helpValue: 'NAME',
      multiple: true,
      multipleNonGreedy: true,
    }),
    header: Flags.string({
      summary: `A header for a URL, as "Name: value"; \${NAME} in it stands for a variable.`,
      helpValue: 'HEADER',
      multiple: true,
      multipleNonGreedy: true,
    }),
    call: Flags.string({ summary: 'The tool to call, once if it may change something.', helpValue: 'TOOL' }),
    arguments: Flags.string({ summary: 'Its arguments.', helpValue: 'JSON', dependsOn: ['call'] }),
    launches: Flags.integer({
      summary: 'Sessions in each era.',
      default: 5,
      min: 1,
      max: 100,
      helpValue: 'N',
    }),
    timeout: Flags.integer({
      summary: 'Seconds for each step.',
      default: 30,
      min: 1,
      max: 3600,
      helpValue: 'S',
    }),
  };

  async run(): Promise<Visit> {
    const { argv, flags } = await this.parse(Doctor);
    const { patientsFrom, wishFrom } = await import('../host/doctor/arguments.js');
    const { visit } = await import('../host/doctor/doctor.js');
    const { signalExit } = await import('../host/signals.js');
    const patients = patientsFrom(argv.map(String), flags, process.env);
    const wish = wishFrom(flags, patients.length);
    const steps = openSteps(process.stderr);
    const options = { launches: flags.launches, timeoutMs: flags.timeout * 1000, wish, onStep: steps.show };
    const visited = await visit(patients, options, async (examination) => {
      steps.pause();
      await this.print(`${patients.length > 1 ? '\n' : ''}${showExamination(examination)}`);
    }).finally(() => steps.stop());
    if (visited.servers.length > 1) await this.print(`\n${showSummary(visited.servers)}`);
    if (visited.signal !== null) this.exitWith(signalExit(visited.signal));
    else if (visited.fatal > 0) this.exitWith(1);
    return visited;
  }
}
