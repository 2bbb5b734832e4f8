/** Findability, names: with tool search on, a model sees nothing of a tool but `mcp__server__tool` until it asks. */
import { fullName } from './catalog-cost.js';
import { type FindingKind, finding, type Outcome } from './finding.js';
import { tellingWords } from './vocabulary.js';
import { excerpt, integer, listed } from './words.js';

const FULL_NAME_VAGUE: FindingKind = {
  code: 'full-name-vague',
  group: 'findability',
  severity: 'warning',
  why: 'where tools are deferred, the name is all that a model goes by: named s1 and query, a server was used in 20 of 48 runs, named notes and search_notes in 43',
  fix: 'name the server and its tools after what they hold: notes and search_notes, not s1 and query',
};
const TOOL_NAME_VAGUE: FindingKind = {
  code: 'tool-name-vague',
  group: 'findability',
  severity: 'note',
  why: 'beside the tools of other servers, only the name of the server tells what this one is about',
  fix: 'put what the tool works on into its name: search_notes, not search',
};
const SERVER_NAME_VAGUE: FindingKind = {
  code: 'server-name-vague',
  group: 'findability',
  severity: 'note',
  why: 'the name of the server stands before each of its tools, and says what they have in common',
  fix: 'name it after what it holds: notes, billing, not s1 or my-mcp-server',
};
const TOOL_NAME_BUILT_IN: FindingKind = {
  code: 'tool-name-built-in',
  group: 'findability',
  severity: 'note',
  why: 'a model that knows a built-in tool of this name picks that one, or takes this one for it',
  fix: 'say in the name what is special about it: read_note, not Read',
};
const TOOL_NAME_REFUSED: FindingKind = {
  code: 'tool-name-refused',
  group: 'catalog',
  severity: 'warning',
  why: 'providers refuse a request that holds such a tool, so that hosts rename it or leave it out',
  fix: 'use letters, digits, "_" and "-", at most 64, and 128 with mcp__server__ before it',
};

/** Every kind of finding that this file makes. */
export const NAME_KINDS = [
  ...[FULL_NAME_VAGUE, TOOL_NAME_VAGUE, SERVER_NAME_VAGUE, TOOL_NAME_BUILT_IN, TOOL_NAME_REFUSED],
];

/** Tools that Claude Code or the Messages API has of its own; compared without case, `_` and `-`. */
const BUILT_IN = new Set(
  `agent askuserquestion bash bashoutput codeexecution computer edit exitplanmode glob grep killshell ls memory multiedit
  notebookedit notebookread read skill task texteditor todoread todowrite toolsearch webfetch websearch write`.split(
    /\s+/,
  ),
);

/** The names under which a host would show a server's tools. `server` is the name in the host's configuration. */
export function checkNames(server: string, tools: string[]): Outcome[] {
  const serverIsVague = tellingWords(server).length === 0;
  const vague = tools.filter((tool) => tellingWords(tool).length === 0);
  return [
    ...vagueNames(server, serverIsVague, vague),
    ...(serverIsVague && vague.length === 0
      ? [
          finding(
            SERVER_NAME_VAGUE,
            `the server's name ${excerpt(server)} says nothing about what it holds`,
            { server },
          ),
        ]
      : []),
    ...builtIn(tools),
    ...refused(server, tools),
  ];
}

function vagueNames(server: string, serverIsVague: boolean, vague: string[]): Outcome[] {
  if (vague.length === 0) return [];
  const evidence = { server, tools: vague };
  const shown = listed(vague.map((tool) => (serverIsVague ? fullName(server, tool) : tool)));
  const words = `${vague.length === 1 ? 'this name says' : 'these names say'} nothing about what is behind: ${shown}`;
  return [finding(serverIsVague ? FULL_NAME_VAGUE : TOOL_NAME_VAGUE, words, evidence)];
}

function builtIn(tools: string[]): Outcome[] {
  const found = tools.filter((tool) => BUILT_IN.has(tool.toLowerCase().replaceAll(/[_-]/g, '')));
  if (found.length === 0) return [];
  return [
    finding(TOOL_NAME_BUILT_IN, `named like a built-in tool of Claude Code: ${listed(found)}`, {
      tools: found,
    }),
  ];
}

function refused(server: string, tools: string[]): Outcome[] {
  const found = tools.flatMap((tool) => {
    const reason = refusalOf(server, tool);
    return reason === null ? [] : [{ tool, reason }];
  });
  const [first] = found;
  if (first === undefined) return [];
  const more = found.length > 1 ? `, and ${found.length - 1} more` : '';
  return [finding(TOOL_NAME_REFUSED, `${excerpt(first.tool)} ${first.reason}${more}`, { tools: found })];
}

function refusalOf(server: string, tool: string): string | null {
  if (tool === '') return 'is empty';
  if (!/^[a-zA-Z0-9_-]*$/.test(tool)) return 'has characters other than letters, digits, "_" and "-"';
  if (tool.length > 64) return `has ${integer(tool.length)} characters; OpenAI takes 64, Anthropic 128`;
  const full = fullName(server, tool).length;
  return full > 128 ? `has ${integer(full)} characters with mcp__${server}__ before it; 128 are taken` : null;
}
