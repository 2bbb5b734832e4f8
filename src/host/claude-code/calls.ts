/** The model calls of a launch as the proxy hears them: each is durable before it goes on, within the budget. */
import { z } from 'zod';
import { jsonOf } from '../../events/answer.js';
import { sha256 } from '../../events/bytes.js';
import { NO_USAGE, type Usage, usageOf } from '../../events/usage.js';
import type { RunContext } from '../run.js';
import { hostFault } from './fault.js';
import type { ProxiedAnswer } from './passage.js';
import type { HearsCalls, ProxiedRequest } from './proxy.js';

/** A call that was answered with a message, and where it stands in the trial. */
export interface AnsweredCall {
  turn: number;
  attempt: number;
  session: string | null;
  answer: ProxiedAnswer & { message_id: string };
}

const body = z.looseObject({ messages: z.array(z.unknown()), max_tokens: z.int().nonnegative() });

/** Numbers calls: the next turn once a call was answered, else another attempt at the same. */
export class Calls implements HearsCalls {
  /** Of the launch under way. */
  answered: AnsweredCall[] = [];
  /** Why a call was refused, null where none was. */
  refusal: string | null = null;
  readonly #run: Pick<RunContext, 'recorder' | 'budget'>;
  readonly #trial: string;
  readonly #attempts = new Map<number, number>();
  #turn = 1;

  constructor(run: Pick<RunContext, 'recorder' | 'budget'>, trial: string) {
    this.#run = run;
    this.#trial = trial;
  }

  /** Another launch of the same trial begins with its first turn; attempts are counted on. */
  beginLaunch(): void {
    this.answered = [];
    this.#turn = 1;
  }

  call(request: ProxiedRequest): string | ((answer: ProxiedAnswer) => void) {
    const settle = this.#withinBudget(request.body);
    if (typeof settle === 'string') return settle;
    const turn = this.#turn;
    const attempt = (this.#attempts.get(turn) ?? 0) + 1;
    this.#attempts.set(turn, attempt);
    this.#run.recorder.append({
      ...{ type: 'turn_request', trial: this.#trial, turn, attempt },
      messages: parsed(request.body)?.messages.length ?? 0,
      ...{ request_bytes: request.body.length, request_sha256: sha256(request.body) },
      raw: this.#run.recorder.exact(request.body),
    });
    return (answer) => {
      this.#heard({ turn, attempt, session: request.session }, answer);
      settle(answer);
    };
  }

  #heard(place: Omit<AnsweredCall, 'answer'>, answer: ProxiedAnswer): void {
    const { message_id, http_status, broken, error } = answer;
    if (message_id !== null && broken === null && error === null) {
      this.answered.push({ ...place, answer: { ...answer, message_id } });
      this.#turn = place.turn + 1;
      return;
    }
    const code = http_status === null || http_status < 400 ? 'MODEL_CONNECTION' : 'MODEL_HTTP_ERROR';
    const what = error ?? broken ?? 'the answer is no message';
    const { turn, attempt } = place;
    const more = { severity: 'error', turn, attempt, http_status } as const;
    this.#run.recorder.note(() => hostFault(this.#trial, code, `the endpoint: ${what}`, more));
  }

  /** Why the call may not be made, or what is to be told how it ended. */
  #withinBudget(bytes: Buffer): string | ((answer: ProxiedAnswer) => void) {
    const { budget } = this.#run;
    if (!budget.isLimited) return ({ usage }) => budget.spend(usageOf(usage) ?? NO_USAGE);
    // A token is at least a byte.
    const most = parsed(bytes)?.max_tokens ?? 0;
    const refusal = budget.refusal(bytes.length, most);
    this.refusal ??= refusal;
    if (refusal !== null) return `BUDGET_STOP: ${refusal}`;
    const settle = budget.hold(bytes.length, most);
    return (answer) => settle(spentOn(answer));
  }
}

/** What a call took: nothing where it was refused, and null where that is not known. */
function spentOn({ usage, http_status }: ProxiedAnswer): Usage | null {
  if (usage !== null) return usageOf(usage);
  return http_status !== null && http_status >= 400 ? NO_USAGE : null;
}

function parsed(bytes: Buffer): z.infer<typeof body> | undefined {
  return body.safeParse(jsonOf(bytes.toString('utf8'))).data;
}
