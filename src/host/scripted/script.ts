/** The script of the scripted model: what it does for which task, read from YAML or JSON. */
import { type Document, isNode, isScalar, isSeq, LineCounter, parseDocument, Scalar } from 'yaml';
import { z } from 'zod';
import { Problem } from '../../events/problem.js';
import { type Definitions, syntaxError } from './expression.js';

const expression = z.string().superRefine((text, context) => {
  const error = syntaxError(text);
  if (error !== null)
    context.addIssue({ code: 'custom', message: error.reason, params: { lines: error.lines } });
});
const args = z.union([z.string(), z.record(z.string(), z.unknown())]).superRefine((given, context) => {
  const error = typeof given === 'string' ? syntaxError(given) : null;
  if (error !== null)
    context.addIssue({ code: 'custom', message: error.reason, params: { lines: error.lines } });
});
const call = z.strictObject({
  tool: z.string().min(1).describe('Name of the tool.'),
  arguments: args
    .default({})
    .describe(
      'An object, or a JSONata expression that gives one; a list of objects makes several calls of this tool.',
    ),
});
const step = z
  .strictObject({
    call: z.string().min(1).optional().describe('Name of one tool to call.'),
    arguments: args.optional().describe('Arguments of `call`, as in `calls`.'),
    calls: z.array(call).min(1).optional().describe('Calls that are made in one turn.'),
    text: z.string().min(1).optional().describe('What the model says before its calls.'),
    answer: expression
      .optional()
      .describe('JSONata: the final answer, said as JSON; a string as it stands where answers are text.'),
    when: expression.optional().describe('JSONata: the step is left out unless this is true.'),
    skip_if: expression.optional().describe('JSONata: the step is left out if this is true.'),
    repeat_while: expression
      .optional()
      .describe('JSONata: once done, the step is done again while this is true.'),
  })
  .refine(
    (given) => [given.call, given.calls, given.answer].filter((each) => each !== undefined).length === 1,
    {
      message: 'a step has exactly one of call, calls, answer',
    },
  )
  .refine((given) => given.arguments === undefined || given.call !== undefined, {
    message: 'arguments belong to call',
  })
  .refine((given) => given.answer === undefined || (given.text ?? given.repeat_while) === undefined, {
    message: 'an answer has no text and is not repeated',
  });
const entry = z.strictObject({
  for: z.string().min(1).describe('The id or the kind of a task.'),
  offers: z
    .array(z.string())
    .default([])
    .describe('Tools that must all be offered, with their schemas or by name, for this entry to be used.'),
  steps: z.array(step).min(1),
});
const scriptFile = z.strictObject({
  define: z
    .record(z.string().regex(/^[a-z][a-z0-9_]*$/, 'a name is lower-case letters, digits and _'), expression)
    .default({})
    .describe('JSONata values and functions that every expression may use, under their name with a $.'),
  entries: z.array(entry).min(1).describe('The first that fits the task and the tools offered is used.'),
});

/** A script, ready to be followed. */
export interface Script {
  /** As the person named it. */
  file: string;
  define: Definitions;
  entries: ScriptEntry[];
}

export interface ScriptEntry {
  for: string;
  offers: string[];
  steps: ScriptStep[];
}

/** One assistant turn: calls, or an answer. Conditions are JSONata. */
export interface ScriptStep {
  /** 1-based line in the file. */
  line: number;
  calls: ScriptCall[];
  answer?: string | undefined;
  text?: string | undefined;
  when?: string | undefined;
  skip_if?: string | undefined;
  repeat_while?: string | undefined;
}

export interface ScriptCall {
  tool: string;
  /** A string is a JSONata expression. */
  arguments: string | Record<string, unknown>;
}

/** Reads a script. Throws the Problem INVALID_SCRIPT, with the line, where it cannot be followed. */
export function parseScript(text: string, file: string): Script {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false });
  const [broken] = document.errors;
  if (broken !== undefined) throw problem(file, lines.linePos(broken.pos[0]).line, broken.message);
  const bare = isSeq(document.contents);
  const place = (path: PropertyKey[], after = 0) =>
    lineOf(document, lines, bare ? path.slice(1) : path, after);
  const parsed = scriptFile.safeParse(bare ? { entries: dataOf(document, file) } : dataOf(document, file));
  if (!parsed.success) throw refused(file, parsed.error, place);
  const entries = parsed.data.entries.map((given, index) => ({
    ...given,
    steps: given.steps.map((each, at) => stepOf(each, place(['entries', index, 'steps', at]))),
  }));
  return { file, define: parsed.data.define, entries };
}

/** The data of a document. An alias may not unfold into very much of it. */
function dataOf(document: Document.Parsed, file: string): unknown {
  try {
    return document.toJS();
  } catch (error) {
    throw problem(file, 1, error instanceof Error ? error.message : String(error));
  }
}

function stepOf(
  { call: tool, arguments: given, calls, ...rest }: z.infer<typeof step>,
  line: number,
): ScriptStep {
  const single = tool === undefined ? [] : [{ tool, arguments: given ?? {} }];
  return { ...rest, line, calls: calls ?? single };
}

function refused(
  file: string,
  error: z.ZodError,
  place: (path: PropertyKey[], after: number) => number,
): Problem {
  const issue = error.issues[0];
  if (issue === undefined) return problem(file, 1, error.message);
  const after = issue.code === 'custom' ? Number(issue.params?.lines ?? 0) : 0;
  const where = issue.path.length === 0 ? '' : `${issue.path.join('.')}: `;
  return problem(file, place(issue.path, after), `${where}${issue.message}`);
}

/** The line of the innermost node on a path that the file really holds, and so many lines after it. */
function lineOf(document: Document.Parsed, lines: LineCounter, path: PropertyKey[], after: number): number {
  const node = path.length === 0 ? document.contents : document.getIn(path, true);
  if (!isNode(node) || !node.range)
    return path.length === 0 ? 1 : lineOf(document, lines, path.slice(0, -1), 0);
  const isBlock = isScalar(node) && (node.type === Scalar.BLOCK_LITERAL || node.type === Scalar.BLOCK_FOLDED);
  return lines.linePos(node.range[0]).line + after + (isBlock ? 1 : 0);
}

function problem(file: string, line: number, what: string): Problem {
  return new Problem({
    code: 'INVALID_SCRIPT',
    what,
    todo: 'correct the script of the scripted model',
    file,
    line,
  });
}
