/** The records server's own executable: what `dist/records-server.mjs` is bundled from. */
import { main } from './main.js';

void main(process.argv.slice(2));
