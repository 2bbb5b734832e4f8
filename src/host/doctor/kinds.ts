/** Every kind of finding there is, worst first: what `docs/doctor.md` has an entry for. */
import { ERA_KINDS } from './both-eras.js';
import { CATALOG_KINDS } from './check-catalog.js';
import { ENDING_KINDS } from './check-ending.js';
import { LAUNCH_KINDS } from './check-launches.js';
import { NAME_KINDS } from './check-names.js';
import { RESULT_KINDS } from './check-result.js';
import { SESSION_KINDS } from './check-sessions.js';
import { STDOUT_KINDS } from './check-stdout.js';
import { TEXT_KINDS } from './check-texts.js';
import type { FindingKind } from './finding.js';
import { CONFIG_KINDS } from './host-config.js';

/** All kinds, in the order of the checks. */
export const KINDS: FindingKind[] = [
  ...[CONFIG_KINDS, LAUNCH_KINDS, ERA_KINDS, SESSION_KINDS, STDOUT_KINDS, CATALOG_KINDS].flat(),
  ...[NAME_KINDS, TEXT_KINDS, RESULT_KINDS, ENDING_KINDS].flat(),
];
