/** Phrases in prose: the same words, whatever the case, the quotes, the dashes, the line breaks and the Markdown. */

/** A text as phrases are compared: NFKC, lower case, plain quotes and dashes, single spaces, no emphasis. */
export function plainWords(text: string): string {
  return text
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[‘’‚‛′]/gu, "'")
    .replace(/[“”„‟″]/gu, '"')
    .replace(/[\u2010-\u2015−]/gu, '-')
    .replace(/[*`\u00ad\u200b]/gu, '')
    .replace(/\s+/gu, ' ')
    .trim();
}

const WORD = /[\p{L}\p{M}\p{N}_]/u;

/** The phrase as it stands in a text, with no letter or digit touching it; null where it does not. */
export function phraseIn(text: string, phrase: string): string | null {
  const words = plainWords(text);
  const wanted = plainWords(phrase);
  for (let at = words.indexOf(wanted); at >= 0; at = words.indexOf(wanted, at + 1)) {
    const before = [...words.slice(Math.max(0, at - 2), at)].at(-1) ?? '';
    const after = [...words.slice(at + wanted.length, at + wanted.length + 2)][0] ?? '';
    const touched = touches(before, [...wanted][0]) || touches([...wanted].at(-1) ?? '', after);
    if (!touched) return wanted;
  }
  return null;
}

function touches(left: string, right: string | undefined): boolean {
  return WORD.test(left) && WORD.test(right ?? '');
}
