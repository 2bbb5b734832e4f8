/**
 * What the bundled server has in the place of the SDK's platform parts, so that it starts sooner.
 *
 * The SDK brings a JSON Schema validator, a third of the bundle, for answers that a client gives to a server's
 * questions. This server asks none, and its own arguments are checked by zod. The bundler is told to take this file for
 * `@modelcontextprotocol/server/_shims`; unbundled, the SDK's own parts are used.
 */

/** The process whose stdin and stdout the transport uses. Its global name loads nothing; the module would. */
export const process = globalThis.process;

/** A validator that was never needed: being asked for one is a mistake in this program. */
export class DefaultJsonSchemaValidator {
  getValidator(): never {
    throw new Error('the bundled records server has no JSON Schema validator');
  }
}
