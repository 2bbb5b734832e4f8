/** `measure tap`: a pass-through in front of a server, in any host's configuration. */
import { Command, Flags } from '@oclif/core';

export default class Tap extends Command {
  static override summary = 'Stand in front of an MCP server on stdio: pass every byte on, and log it.';
  static override description =
    `Put it before the server's command in the configuration of a host. Bytes pass verbatim both ways; standard error,
environment, end of file, signals and exit codes pass through. Each session is a run of the store: \`measure replay\`, \`measure
rerun\` and \`measure serve replay\` read it. Give the store as an absolute path: a host may start servers anywhere.

A host may hand its servers every variable that it has, keys among them: --env hands on only PATH, HOME, LANG and the like, and
the variables that it names.

In a .mcp.json:

  "notes": { "command": "measure", "args": ["tap", "--store", "/home/me/runs", "--", "node", "server.mjs"] }

Exit code: that of the server. 2 without a command, 3 where no log can be written, 126 and 127 where the command may not be run
or is not there.`;
  static override examples = [
    '<%= config.bin %> tap --store runs -- npx -y @modelcontextprotocol/server-memory',
  ];
  static override usage =
    'tap [--store DIR] [--name NAME] [--spool DIR] [--env NAMES] [--cwd DIR] -- COMMAND...';
  static override strict = false;
  static override flags = {
    store: Flags.string({
      summary: 'Folder of the store (MEASURE_STORE, or ./runs).',
      helpValue: 'DIR',
    }),
    name: Flags.string({
      summary: "Name of the session, part of the run's id; the command's own name where absent.",
      helpValue: 'NAME',
    }),
    spool: Flags.string({
      summary: 'In place of a log: what passes, raw, in a file of this folder, for the host claude-code.',
      helpValue: 'DIR',
    }),
    env: Flags.string({
      summary:
        'Hand the server only the usual few variables and these, separated by commas; all where absent.',
      helpValue: 'NAMES',
    }),
    cwd: Flags.string({
      summary: 'Folder to start the server in; that of the tap where absent.',
      helpValue: 'DIR',
    }),
  };

  async run(): Promise<void> {
    const { main } = await import('../host/tap/main.js');
    await main(this.argv, new URL('../host/tap/thread.js', import.meta.url));
  }
}
