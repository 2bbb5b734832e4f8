#!/usr/bin/env node
// The same from a checkout: compiles first, then runs.
import { build } from '../scripts/build.mjs';

await build();
await import('./run.js');
