/** Words of names and sentences, and which of them say nothing about what a server holds. English; pure. */

/** Words that fit every server. */
const GENERIC = new Set(
  `access action add all api app apply arg argument array ask base basic batch boolean call check client command common
  content create custom data default delete demo describe detail do edit endpoint entry example exec execute existing
  fetch find first function functionality general generic get give given handle handler help helper id info information
  input insert int integer interact invoke item json list load local lookup main make manage mcp method misc modify module
  my name new number object one op operation option output param parameter parse perform ping plugin post process program
  provide put query read remote remove request resource response result retrieve return run sample save search select send
  server service set show simple specific start status stdio stop store string stuff submit support temp test text thing
  tool toolbox toolkit type update upsert use utility util value various view way work write`
    .split(/\s+/)
    .map(stem),
);

/** Words without a meaning of their own. */
const STOP = new Set(
  `a about an and any are as at back be by can for from has have if in into is it its need no not of on or some such that
  the their them then these this those to two up via want was when which who will with within without you your`
    .split(/\s+/)
    .map(stem),
);

/** The words of a name or a sentence, lower case, plurals and verb endings off; digits and single letters are none. */
export function wordsOf(text: string): string[] {
  const apart = text.replaceAll(/(\p{Ll})(\p{Lu})/gu, '$1 $2').toLowerCase();
  return (apart.match(/\p{L}+/gu) ?? []).filter((word) => !/^[a-z]$/.test(word)).map(stem);
}

/** The words that say something, each once. */
export function tellingWords(text: string): string[] {
  return [...new Set(wordsOf(text))].filter((word) => !GENERIC.has(word) && !STOP.has(word));
}

/** Whether most letters of a text are Latin; the rules about words are for English and leave other scripts alone. */
export function isLatin(text: string): boolean {
  const letters = text.match(/\p{L}/gu) ?? [];
  const latin = letters.filter((letter) => /\p{Script=Latin}/u.test(letter));
  return latin.length * 2 > letters.length || letters.length === 0;
}

function stem(word: string): string {
  if (!/^[a-z]+$/.test(word) || word.length < 4) return word;
  if (word.endsWith('ies')) return `${word.slice(0, -3)}y`;
  if (/(?:ss|x|ch|sh|o)es$/.test(word)) return word.slice(0, -2);
  return /[^su]s$/.test(word) ? word.slice(0, -1) : word;
}
