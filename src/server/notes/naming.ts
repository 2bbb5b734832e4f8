/** What the server and its tools are called, and what is said of them: all that two namings differ in. */

/** `clear` says what is there; `vague` says nothing. */
export const NAMINGS = ['clear', 'vague'] as const;
export type Naming = (typeof NAMINGS)[number];

export interface Named {
  name: string;
  description: string;
}

export interface Names {
  server: string;
  search: Named;
  read: Named;
}

/** The names of a server over so many notes. */
export function namesOf(naming: Naming, count: number): Names {
  if (naming === 'vague') {
    return {
      server: 's1',
      search: { name: 'query', description: 'Runs a query.' },
      read: { name: 'get', description: 'Gets an item by path.' },
    };
  }
  const notes = count === 1 ? 'the one Markdown note' : `${count} Markdown notes`;
  const search =
    `Searches the full text of ${notes} in a folder on this computer and returns the best matches, each with path, title, ` +
    'score and a snippet. Call it before you answer a question that the notes may answer.';
  return {
    server: 'notes',
    search: { name: 'search_notes', description: search },
    read: {
      name: 'read_note',
      description: 'Returns one note in full, by its path as search_notes gives it.',
    },
  };
}
