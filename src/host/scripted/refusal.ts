/** What the scripted model says when it has no message to give: an HTTP status and a typed error. */

/** The `error.type` values of the Messages API that the scripted model uses. */
type RefusalType = 'invalid_request_error' | 'not_found_error' | 'request_too_large' | 'api_error';

const STATUS: Record<RefusalType, number> = {
  invalid_request_error: 400,
  not_found_error: 404,
  request_too_large: 413,
  api_error: 500,
};

/** Thrown instead of a message; the endpoint turns it into an error response. */
export class Refusal extends Error {
  readonly type: RefusalType;

  constructor(type: RefusalType, message: string) {
    super(message);
    this.name = 'Refusal';
    this.type = type;
  }

  get status(): number {
    return STATUS[this.type];
  }

  /** The body of the response, in the error shape of the Messages API. */
  body(): { type: 'error'; error: { type: RefusalType; message: string } } {
    return { type: 'error', error: { type: this.type, message: this.message } };
  }
}
