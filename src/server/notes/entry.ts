/** The notes server's own executable: what `dist/server/notes-server.mjs` is bundled from. */
import { main } from './main.js';

void main(process.argv.slice(2));
