/** Faults that the host of Claude Code finds by itself. */
import type { BodyOf } from '../../events/event.js';

/** A fault of a trial; `more` says where it belongs to a model call. */
export function hostFault(
  trial: string,
  code: string,
  message: string,
  more: Partial<Pick<BodyOf<'fault'>, 'severity' | 'turn' | 'attempt' | 'http_status'>> = {},
): BodyOf<'fault'> {
  return {
    ...{ type: 'fault', trial, code, severity: 'warning', turn: null, attempt: null, http_status: null },
    ...{ bytes: null, sha256: null, message, text: null, base64: null, ...more },
  };
}
