/** `measure serve notes`: a folder of Markdown on stdio. */
import { Args, Command, Flags } from '@oclif/core';

export default class ServeNotes extends Command {
  static override summary =
    'Serve a folder of Markdown notes over MCP on stdio: a search, and notes in full.';
  static override description =
    `Two tools: search_notes ranks notes by BM25 with a boost for words of the title, read_note returns one in full. Notes are
the .md and .markdown files below DIR, up to 4 MiB each. Hidden files and folders, node_modules and symbolic links are
left out. What changes while the server runs is seen by the next call.

--naming vague calls the server s1 and the tools query and get, and describes them as poorly: the same server, for
experiments with names. In Claude Code: claude mcp add notes -- measure serve notes DIR

Exit code 2: bad arguments, or no such folder.`;
  static override examples = [
    '<%= config.bin %> serve notes docs',
    `<%= config.bin %> serve notes docs --naming vague --instructions "Searches the user's notes on measuring MCP servers."`,
  ];
  static override args = {
    dir: Args.string({ required: true, description: 'The folder of the notes.', ignoreStdin: true }),
  };
  static override flags = {
    naming: Flags.string({
      summary: 'What server and tools are called.',
      options: ['clear', 'vague'],
      default: 'clear',
    }),
    instructions: Flags.string({
      summary: 'Server instructions: a text, or a file that holds it.',
      helpValue: 'TEXT|FILE',
    }),
    'always-load': Flags.string({
      summary: 'A tool that hosts shall load at once, whatever they defer; or all.',
      helpValue: 'TOOL',
      multiple: true,
      multipleNonGreedy: true,
    }),
  };

  async run(): Promise<void> {
    const { args, flags } = await this.parse(ServeNotes);
    const { main } = await import('../../server/notes/main.js');
    const always = (flags['always-load'] ?? []).map((tool) => `--always-load=${tool}`);
    const instructions = flags.instructions === undefined ? [] : [`--instructions=${flags.instructions}`];
    await main([`--naming=${flags.naming}`, ...instructions, ...always, '--', args.dir]);
  }
}
