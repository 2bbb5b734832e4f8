/** The tap's own executable: what `dist/host/tap.mjs` is bundled from. */
import { main } from './main.js';

void main(process.argv.slice(2), new URL('./tap-thread.mjs', import.meta.url));
