/** What a model is offered of a server's catalog. */
import { z } from 'zod';
import { sha256 } from './bytes.js';

/** A tool as the model is offered it. */
export interface AdvertisedTool {
  name: string;
  description: string;
  input_schema: unknown;
}

/** What a Messages endpoint takes; one tool that is none would have the whole request refused. */
const offerable = z.object({
  name: z.string().regex(/^[a-zA-Z0-9_-]{1,128}$/),
  description: z.string().optional(),
  inputSchema: z.looseObject({ type: z.literal('object') }),
});

/**
 * The tools of a catalog page that a condition advertises, in the order of the catalog. Left out are those that are not
 * allowed, those that no model can be offered, and those whose name an earlier one has.
 */
export function advertise(
  tools: unknown[],
  allowed: string[] | null,
  earlier: AdvertisedTool[] = [],
): AdvertisedTool[] {
  const names = new Set(earlier.map(({ name }) => name));
  return tools.flatMap((tool) => {
    const parsed = offerable.safeParse(tool);
    if (!parsed.success || names.has(parsed.data.name)) return [];
    const { name, description, inputSchema } = parsed.data;
    if (allowed !== null && !allowed.includes(name)) return [];
    names.add(name);
    return [{ name, description: description ?? '', input_schema: inputSchema }];
  });
}

/** The entries of a page that no model can be offered, each with the reason in words. */
export function unusableTools(tools: unknown[], earlier: AdvertisedTool[]): string[] {
  const names = new Set(earlier.map(({ name }) => name));
  return tools.flatMap((tool, index) => {
    const parsed = offerable.safeParse(tool);
    const called = namedSchema.safeParse(tool).data?.name;
    const which = called === undefined ? `entry ${index + 1}` : `the tool ${JSON.stringify(called)}`;
    if (!parsed.success) return [`${which} ${reasonOf(parsed.error)}`];
    if (names.has(parsed.data.name)) return [`${which} is listed twice; the first one counts`];
    names.add(parsed.data.name);
    return [];
  });
}

const namedSchema = z.object({ name: z.string() });

function reasonOf(error: z.ZodError): string {
  switch (error.issues[0]?.path[0]) {
    case 'name':
      return 'has no name of 1 to 128 letters, digits, "_" and "-"';
    case 'description':
      return 'has a description that is no text';
    case 'inputSchema':
      return 'has no inputSchema of type object';
    default:
      return 'is no object';
  }
}

/** What the host advertises, as the catalog event records it: names, and the bytes and hash of the tools as JSON. */
export function advertisedFacts(tools: AdvertisedTool[]): { names: string[]; bytes: number; sha256: string } {
  const json = Buffer.from(JSON.stringify(tools), 'utf8');
  return { names: tools.map((tool) => tool.name), bytes: json.length, sha256: sha256(json) };
}
