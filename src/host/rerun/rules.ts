/** Rules that a rerun is held to: a name, or a name and how much more is too much. */
import { Problem } from '../../events/problem.js';
import type { CallComparison, Pair } from './compare-calls.js';
import type { CatalogComparison } from './compare-catalogs.js';
import type { EvidenceComparison } from './evidence.js';

/** What a rule can be about, and what it counts. */
export const RULES = {
  error: 'calls that brought a result and fail now',
  'result-changed': 'calls whose result, or failure, is another one',
  'invalid-output': 'new results that break the output schema of their tool',
  'tool-gone': 'tools that are no longer listed',
  'schema-changed': 'input and output schemas that changed',
  'description-changed': 'descriptions of tools that changed',
  'evidence-lost': 'evidence of answers that no result holds any more',
  tokens: 'estimated tokens that a model is sent of all results',
  bytes: 'bytes of all results: content and structured content',
  'wire-bytes': 'bytes of all results on the wire',
  'catalog-tokens': 'estimated tokens of the tools that a model is offered',
  'catalog-bytes': 'bytes of the tools that a model is offered',
} as const;

export type RuleName = keyof typeof RULES;

/** Broken where the figure grows by more than `more`, a number or a percentage of what it was. */
export interface Rule {
  /** As it was written. */
  text: string;
  name: RuleName;
  more: number;
  percent: boolean;
}

/** `undecided`: the rerun was not finished, and the rest of it could turn the verdict. */
export interface RuleVerdict {
  rule: string;
  verdict: 'holds' | 'broken' | 'undecided';
  /** The figure in words: `2`, or `1200 → 1260`. */
  found: string;
}

/** What rules look at. */
export interface Compared {
  calls: CallComparison[];
  catalogs: CatalogComparison[];
  evidence: EvidenceComparison[];
  totals: { tokens: Pair; content_bytes: Pair; structured_bytes: Pair; wire_bytes: Pair };
  finished: boolean;
}

const AMOUNTS: readonly RuleName[] = ['tokens', 'bytes', 'wire-bytes', 'catalog-tokens', 'catalog-bytes'];

/** Reads `NAME`, `NAME > +N` or `NAME > +N%`; a bare name is `> +0`. Throws `RULE_UNKNOWN`, which lists the names. */
export function parseRule(text: string): Rule {
  const match = /^\s*([a-z-]+)\s*(?:>\s*\+(\d+(?:\.\d+)?)\s*(%)?\s*)?$/.exec(text);
  const name = Object.keys(RULES)
    .filter(isRule)
    .find((known) => known === match?.[1]);
  const percent = match?.[3] !== undefined;
  if (name === undefined || (percent && !AMOUNTS.includes(name))) throw unknown(text);
  return { text: text.trim(), name, more: Number(match?.[2] ?? 0), percent };
}

function isRule(name: string): name is RuleName {
  return Object.hasOwn(RULES, name);
}

/** The verdict on each rule. What counts can only grow with the rest of a rerun; totals may go either way. Pure. */
export function judgeRules(rules: Rule[], compared: Compared): RuleVerdict[] {
  return rules.map((rule) => {
    const pairs = figuresOf(rule.name, compared);
    const broken = pairs.find((pair) => exceeds(rule, pair));
    const found = wordsOf(rule, broken ?? pairs[0]);
    const partial = !compared.finished && (broken === undefined || isTotal(rule.name));
    return { rule: rule.text, verdict: partial ? 'undecided' : broken ? 'broken' : 'holds', found };
  });
}

function exceeds({ more, percent }: Rule, { before, after }: Pair): boolean {
  return after > before + (percent ? (before * more) / 100 : more);
}

function isTotal(name: RuleName): boolean {
  return name === 'tokens' || name === 'bytes' || name === 'wire-bytes';
}

function wordsOf({ name }: Rule, pair: Pair | undefined): string {
  if (pair === undefined) return 'nothing to compare';
  return AMOUNTS.includes(name) ? `${pair.before} → ${pair.after}` : `${pair.after}`;
}

/** The figure of a rule, before and after; one of each catalog. */
function figuresOf(name: RuleName, { calls, catalogs, evidence, totals }: Compared): Pair[] {
  const changes = catalogs.flatMap(({ changed }) => changed);
  switch (name) {
    case 'error':
      return amount(calls.filter(({ outcome }) => outcome === 'fails_now').length, calls);
    case 'result-changed':
      return amount(calls.filter(({ outcome }) => outcome !== 'same').length, calls);
    case 'invalid-output':
      return amount(calls.filter(({ schema_verdict: { after } }) => INVALID.includes(after)).length, calls);
    case 'tool-gone':
      return amount(catalogs.flatMap(({ gone }) => gone).length, catalogs);
    case 'schema-changed':
      return amount(changes.filter(({ aspect }) => aspect.endsWith('_schema')).length, catalogs);
    case 'description-changed':
      return amount(changes.filter(({ aspect }) => aspect === 'description').length, catalogs);
    case 'evidence-lost':
      return amount(evidence.flatMap(({ lost }) => lost).length, evidence);
    case 'tokens':
      return [totals.tokens];
    case 'bytes':
      return [sum(totals.content_bytes, totals.structured_bytes)];
    case 'wire-bytes':
      return [totals.wire_bytes];
    case 'catalog-tokens':
      return catalogs.map(({ tokens }) => tokens);
    case 'catalog-bytes':
      return catalogs.map(({ bytes }) => bytes);
    default:
      return name satisfies never;
  }
}

/** Verdicts on a result that is not what its tool declares. */
export const INVALID: readonly string[] = ['invalid', 'missing', 'schema_broken'];

function sum(a: Pair, b: Pair): Pair {
  return { before: a.before + b.before, after: a.after + b.after };
}

/** Nothing where nothing was looked at. */
function amount(after: number, among: unknown[]): Pair[] {
  return among.length === 0 ? [] : [{ before: 0, after }];
}

function unknown(text: string): Problem {
  const what = `--fail-if ${JSON.stringify(text)} is no rule`;
  const todo = `write NAME, "NAME > +N", or for ${AMOUNTS.join(', ')} "NAME > +N%", with a name of: ${Object.keys(RULES).join(', ')}`;
  return new Problem({ code: 'RULE_UNKNOWN', what, todo });
}
