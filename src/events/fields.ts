/** The fields of a schema as rows of a table: name, type and meaning, nested ones with dotted names. */
import { z } from 'zod';

/** One row. `name` is dotted, `[]` stands for each element of a list, `.*` for each key of an open object. */
export interface Field {
  name: string;
  type: string;
  /** Null where the schema does not say. */
  meaning: string | null;
}

/** More values than this are not spelled out in a row. */
const MANY = 12;

type Node = z.core.JSONSchema.BaseSchema;

/** Every field of an object schema, in its order, nested fields behind the one that holds them. */
export function fieldsOf(schema: z.ZodType): Field[] {
  return properties(z.toJSONSchema(schema), '');
}

function properties(node: Node, prefix: string): Field[] {
  return Object.entries(node.properties ?? {}).flatMap(([name, value]) =>
    field(nodeOf(value), prefix + name, node.required?.includes(name) === true),
  );
}

function field(node: Node, name: string, required: boolean): Field[] {
  const type = required ? typeOf(node) : `${typeOf(node)}; may be absent`;
  return [{ name, type, meaning: node.description ?? null }, ...inside(node, name)];
}

/** The fields within a field, whatever lists and alternatives they stand in. */
function inside(node: Node, name: string): Field[] {
  const alternatives = (node.anyOf ?? []).flatMap((option) => inside(nodeOf(option), name));
  const elements = node.items === undefined ? [] : inside(element(node), `${name}[]`);
  return [...alternatives, ...elements, ...properties(node, `${name}.`)];
}

function typeOf(node: Node): string {
  if (node.anyOf !== undefined) return node.anyOf.map((option) => typeOf(nodeOf(option))).join(' or ');
  const values = node.enum ?? (node.const === undefined ? [] : [node.const]);
  const names = [node.type ?? 'any JSON'].flat().map((type) => nameOf(type, node));
  const nullable = names.includes('null') ? ' or null' : '';
  if (values.length > MANY) return `a code from the list below${nullable}`;
  return values.length > 0 ? values.map((value) => `\`${value}\``).join(', ') + nullable : names.join(' or ');
}

function nameOf(type: string, node: Node): string {
  switch (type) {
    case 'string':
      return stringType(node);
    case 'integer':
    case 'number':
      return numberType(type, node);
    case 'array':
      return `list of ${typeOf(element(node))}`;
    case 'object':
      return objectType(node);
    default:
      return type;
  }
}

function stringType(node: Node): string {
  if (node.pattern === '^[0-9a-f]{64}$') return 'SHA-256, 64 hex digits';
  return node.format === 'date-time' ? 'time, ISO 8601' : 'string';
}

function numberType(type: string, node: Node): string {
  const from = node.minimum === 0 ? ', from 0' : '';
  return `${type}${node.exclusiveMinimum === 0 ? ', above 0' : from}`;
}

function objectType(node: Node): string {
  if (typeof node.additionalProperties !== 'object') return 'object';
  return `object of ${typeOf(node.additionalProperties)}`;
}

/** The schema of a list's elements. */
function element(node: Node): Node {
  return nodeOf(Array.isArray(node.items) ? node.items[0] : node.items);
}

function nodeOf(value: Node | boolean | undefined): Node {
  return typeof value === 'object' ? value : {};
}
