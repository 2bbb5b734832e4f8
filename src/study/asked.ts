/** How a run puts its questions, and in which shape it wants the answers. */

/** `json` has the answer in a field of its own, `text` is the answer. */
export type AnswerKind = 'json' | 'text';

export interface Asked {
  phrasings: { name: string; template: string }[];
  answer: AnswerKind;
}
