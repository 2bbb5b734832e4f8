#!/usr/bin/env node
// The same from a checkout: compiles first, then runs.
import { build } from '../scripts/build.mjs';

build({ quiet: true });
await import('./run.js');
