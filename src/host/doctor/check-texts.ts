/** Findability, texts: instructions, descriptions and parameters, by rules that `docs/doctor.md` shows with examples. */
import { isObject, type JsonObject } from '../wire/json.js';
import { type FindingKind, finding, type Outcome, passed } from './finding.js';
import { isLatin, tellingWords, wordsOf } from './vocabulary.js';
import { bytes, counted, excerpt, integer, listed } from './words.js';

const NO_INSTRUCTIONS: FindingKind = {
  code: 'no-instructions',
  group: 'findability',
  severity: 'warning',
  why: 'they are the only free text that a model reads before it loads a tool: two sentences took a vague server from 20 to 46 of 48 runs',
  fix: 'set instructions: what data the server has, and when to use it, in the words that users type',
};
const INSTRUCTIONS_VAGUE: FindingKind = {
  code: 'instructions-vague',
  group: 'findability',
  severity: 'warning',
  why: 'instructions that fit any server do not tell a model that this one has what the question is about',
  fix: 'name what the server holds, in the words that users type',
};
const INSTRUCTIONS_NO_WHEN: FindingKind = {
  code: 'instructions-no-when',
  group: 'findability',
  severity: 'note',
  why: 'a model that knows what there is still has to know when it is wanted',
  fix: 'add a sentence such as: Use it when the user asks about …',
};
const INSTRUCTIONS_LONG: FindingKind = {
  code: 'instructions-long',
  group: 'findability',
  severity: 'note',
  why: 'Claude Code cuts instructions after 2,048 characters, and each session pays for all that is kept',
  fix: 'say the most important first, and leave the rest to descriptions',
};
const DESCRIPTION_MISSING: FindingKind = {
  code: 'description-missing',
  group: 'findability',
  severity: 'warning',
  why: 'once a tool is loaded, its description is all that tells what it does and when',
  fix: 'describe what the tool returns, from what, and when to use it',
};
const DESCRIPTION_REPEATS_NAME: FindingKind = {
  code: 'description-repeats-name',
  group: 'findability',
  severity: 'note',
  why: 'a description that says the name again costs tokens and tells nothing',
  fix: 'say what it looks through and what comes back: Full-text search over 7 notes; returns title and snippet',
};
const PARAMETERS_UNDESCRIBED: FindingKind = {
  code: 'parameters-undescribed',
  group: 'findability',
  severity: 'note',
  why: 'a model guesses what to pass, and a wrong guess is a wasted call',
  fix: 'give each parameter a description with an example of a value',
};

/** Every kind of finding that this file makes. */
export const TEXT_KINDS = [
  ...[NO_INSTRUCTIONS, INSTRUCTIONS_VAGUE, INSTRUCTIONS_NO_WHEN, INSTRUCTIONS_LONG],
  ...[DESCRIPTION_MISSING, DESCRIPTION_REPEATS_NAME, PARAMETERS_UNDESCRIBED],
];

/** Fewer words than this say too little. */
const FEW_WORDS = 8;
/** Fewer words than this, of those that say something, do not say what a server holds. */
const TELLING_WORDS = 3;
/** Characters after which Claude Code cuts instructions. */
const INSTRUCTIONS_CUT = 2048;
/** Words with which a text says when something is to be used. */
const WHEN = /\b(?:when|whenever|if|before|instead of|asks?|asked|asking|questions?|looking for|needs?)\b/i;

/** The instructions of a server, null where it sends none. */
export function checkInstructions(instructions: string | null): Outcome[] {
  if (instructions === null || instructions.trim() === '')
    return [finding(NO_INSTRUCTIONS, 'the server sends no instructions', { instructions })];
  const words = wordsOf(instructions).length;
  const telling = tellingWords(instructions);
  const evidence = { characters: instructions.length, words, telling_words: telling.length };
  const found = [
    ...(isLatin(instructions) ? wording(instructions, words, telling, evidence) : []),
    ...(instructions.length > INSTRUCTIONS_CUT
      ? [
          finding(
            INSTRUCTIONS_LONG,
            `the instructions have ${integer(instructions.length)} characters`,
            evidence,
          ),
        ]
      : []),
  ];
  const figure = `instructions of ${counted(words, 'word')} say what and when: ${excerpt(instructions)}`;
  return found.length > 0 ? found : [passed('findability', figure, evidence)];
}

function wording(
  text: string,
  words: number,
  telling: string[],
  evidence: Record<string, unknown>,
): Outcome[] {
  const shown = excerpt(text);
  if (words < FEW_WORDS)
    return [
      finding(INSTRUCTIONS_VAGUE, `${counted(words, 'word')}, fewer than ${FEW_WORDS}: ${shown}`, evidence),
    ];
  if (telling.length < TELLING_WORDS) {
    const what = `${counted(telling.length, 'word')} of ${words} would not fit any other server: ${shown}`;
    return [finding(INSTRUCTIONS_VAGUE, what, evidence)];
  }
  if (WHEN.test(text)) return [];
  return [finding(INSTRUCTIONS_NO_WHEN, `no "when", "if" or "asks" in the instructions: ${shown}`, evidence)];
}

/** The descriptions of tools and of their parameters. */
export function checkDescriptions(tools: unknown[]): Outcome[] {
  const known = tools.filter(isObject);
  const missing = known.filter(
    ({ description }) => typeof description !== 'string' || description.trim() === '',
  );
  const repeating = known.filter(repeatsName);
  const bare = known.flatMap(bareParameters);
  const found = [
    ...(missing.length === 0
      ? []
      : [
          finding(DESCRIPTION_MISSING, `no description: ${listed(missing.map(nameOf))}`, {
            tools: missing.map(nameOf),
          }),
        ]),
    ...(repeating.length === 0
      ? []
      : [finding(DESCRIPTION_REPEATS_NAME, repetition(repeating), { tools: repeating.map(nameOf) })]),
    ...(bare.length === 0
      ? []
      : [
          finding(
            PARAMETERS_UNDESCRIBED,
            `${counted(bare.length, 'parameter')} without description: ${listed(bare)}`,
            { parameters: bare },
          ),
        ]),
  ];
  if (found.length > 0 || known.length === 0) return found;
  const total = known.reduce((sum, { description }) => sum + Buffer.byteLength(String(description)), 0);
  return [
    passed(
      'findability',
      `${counted(known.length, 'tool')}, each described, with its parameters (${bytes(total)})`,
      { bytes: total },
    ),
  ];
}

/** Fewer than two words that are neither in the name nor fit any tool. */
function repeatsName(tool: JsonObject): boolean {
  const { description } = tool;
  if (typeof description !== 'string' || description.trim() === '' || !isLatin(description)) return false;
  const name = new Set(wordsOf(nameOf(tool)));
  return tellingWords(description).filter((word) => !name.has(word)).length < 2;
}

function repetition(tools: JsonObject[]): string {
  const [first] = tools;
  const example = first === undefined ? '' : `${nameOf(first)}: ${excerpt(String(first.description))}`;
  return `little beside the name: ${example}${tools.length > 1 ? `, and ${counted(tools.length - 1, 'other')}` : ''}`;
}

function bareParameters(tool: JsonObject): string[] {
  const { inputSchema: schema } = tool;
  const properties = isObject(schema) && isObject(schema.properties) ? schema.properties : {};
  return Object.entries(properties)
    .filter(
      ([, property]) =>
        !isObject(property) || typeof property.description !== 'string' || property.description.trim() === '',
    )
    .map(([key]) => `${nameOf(tool)}.${key}`);
}

function nameOf({ name }: JsonObject): string {
  return typeof name === 'string' ? name : '(no name)';
}
