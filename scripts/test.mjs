/** `npm test`: installs and builds where needed, then runs every test. Arguments go to node's test runner. */

import { build, testFiles } from './build.mjs';
import { must } from './install.mjs';

await build();
must(process.execPath, ['--test', '--test-concurrency=2', ...process.argv.slice(2), ...testFiles()]);
