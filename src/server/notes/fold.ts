/** One spelling for words that differ only in case, accents or presentation. */

/** Accents of Latin, Greek and Cyrillic, and the vowel points of Hebrew and Arabic. Marks of other scripts are letters. */
const ACCENTS = /[\u0300-\u036f\u0591-\u05c7\u064b-\u065f\u0670]/g;

/** What Unicode does not take apart, and people type without its stroke. */
const PLAIN: Record<string, string> = {
  ...{ ø: 'o', ł: 'l', đ: 'd', ð: 'd', ħ: 'h', ı: 'i', ς: 'σ' },
  ...{ æ: 'ae', œ: 'oe', þ: 'th' },
};
const STROKED = /[øłđðħıςæœþ]/g;

/** Soft hyphens and joiners, which nobody sees: the names of what stands within words without being part of them. */
export const UNSEEN = String.raw`\u00ad\u200c\u200d\u2060`;
const UNSEEN_ANY = new RegExp(`[${UNSEEN}]`, 'g');

const BEYOND_ASCII = /[^ -~]/;

/** The word as it is compared: `Größe`, `GRÖSSE` and `grosse` are one word, and so are `ｶﾞ` and `ガ`. */
export function fold(word: string): string {
  if (!BEYOND_ASCII.test(word)) return word.toLowerCase();
  const apart = word.replace(UNSEEN_ANY, '').normalize('NFKD').replace(ACCENTS, '').normalize('NFC');
  return apart
    .toUpperCase()
    .toLowerCase()
    .replace(STROKED, (letter) => PLAIN[letter] ?? letter);
}
