// Writes the routes into docs/http-api.md, from the OpenAPI document: npm run docs
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { buildApp } from '../src/server/app.ts';
import { ROUTE_NOTES } from '../src/server/http/route-notes.ts';
import type { ServerContext } from '../src/server/server-context.ts';
import { DEFAULT_LIMITS } from '../src/server/server-limits.ts';

interface Schema {
  type?: string;
  format?: string;
  enum?: unknown[];
  properties?: Record<string, Schema>;
  required?: string[];
  items?: Schema;
  anyOf?: Schema[];
  additionalProperties?: Schema | boolean;
  minimum?: number;
  maximum?: number;
  exclusiveMinimum?: boolean;
  exclusiveMaximum?: boolean;
  default?: unknown;
}

interface Operation {
  parameters?: { name: string; in: string; schema: Schema }[];
  requestBody?: { content?: Record<string, { schema?: Schema }> };
  'x-f3-roles'?: string[];
  security?: Record<string, unknown>[];
}

export const HTTP_API = fileURLToPath(new URL('../docs/http-api.md', import.meta.url));
const MARK = '<!-- Below this line: written by npm run docs. -->\n';

/** The whole page: what people wrote above the mark, the routes below it. */
export async function httpApiPage(): Promise<string> {
  const written = readFileSync(HTTP_API, 'utf8');
  return written.slice(0, written.indexOf(MARK) + MARK.length) + (await routesAsText());
}

/** Routes of a coordinator that is never started. */
export async function describedRoutes(): Promise<Map<string, Operation>> {
  const context = { store: { onChange: () => {} }, checks: { close: async () => undefined }, limits: DEFAULT_LIMITS };
  const app = await buildApp(context as unknown as ServerContext);
  await app.ready();
  const { paths } = app.swagger() as { paths: Record<string, Record<string, Operation>> };
  await app.close();
  return new Map(
    Object.entries(paths).flatMap(([path, operations]) =>
      Object.entries(operations).map(([method, operation]) => [`${method.toUpperCase()} ${path}`, operation]),
    ),
  );
}

async function routesAsText(): Promise<string> {
  const routes = await describedRoutes();
  return Array.from(routes, ([name, operation]) => `\n### ${name}\n\n${linesOf(name, operation).join('\n')}\n`).join(
    '',
  );
}

function linesOf(
  name: string,
  { parameters = [], requestBody, security = [], 'x-f3-roles': roles }: Operation,
): string[] {
  const onlySigned = roles && !security.some((kind) => 'session' in kind) ? '; signed requests only' : '';
  const note = ROUTE_NOTES[name];
  const beside = parameters.filter((parameter) => parameter.in !== 'path');
  const bodies = Object.entries(requestBody?.content ?? {}).map(
    ([type, { schema = {} }]) => `${type} \`${compact(schema)}\``,
  );
  return [
    ...(note ? [note.says, ''] : []),
    `- who: ${roles ? roles.map((role) => ROLES[role] ?? role).join(', ') : 'anyone, no token'}${onlySigned}`,
    ...beside.map(({ name: key, in: place, schema }) => `- ${place} \`${key}\`: ${compact(schema)}`),
    ...bodies.map((body) => `- body: ${body}`),
    ...(note ? [`- answer: \`${note.answer}\``] : []),
    ...(note?.errors ? [`- errors: ${note.errors.map((code) => `\`${code}\``).join(', ')}`] : []),
  ];
}

const ROLES: Record<string, string> = { labels: 'label holder' };

/** A JSON schema as one line: `{name: string, classes?: [string]}`. */
function compact(schema: Schema): string {
  const { type, properties, required = [], items, anyOf, additionalProperties, format } = schema;
  if (schema.enum) return schema.enum.map((value) => JSON.stringify(value)).join(' | ') + otherwise(schema);
  if (anyOf) return anyOf.map(compact).join(' or ') + otherwise(schema);
  if (items) return `[${compact(items)}, …]`;
  if (properties) {
    const fields = Object.entries(properties).map(
      ([name, field]) =>
        `${name}${required.includes(name) && field.default === undefined ? '' : '?'}: ${compact(field)}`,
    );
    return `{${fields.join(', ')}}`;
  }
  if (typeof additionalProperties === 'object' && Object.keys(additionalProperties).length > 0)
    return `{name: ${compact(additionalProperties)}, …}`;
  return (format ?? type ?? 'any') + range(schema) + otherwise(schema);
}

function range({ minimum, maximum = Number.MAX_SAFE_INTEGER, exclusiveMinimum, exclusiveMaximum }: Schema): string {
  const [above, below] = [exclusiveMinimum ? 'above' : 'from', exclusiveMaximum ? 'below' : 'to'];
  const from = minimum === undefined ? '' : ` ${above} ${minimum}`;
  return maximum < Number.MAX_SAFE_INTEGER ? `${from} ${below} ${maximum}` : from;
}

const otherwise = ({ default: value }: Schema): string =>
  value === undefined || typeof value === 'object' ? '' : `, default ${value}`;

if (import.meta.main) writeFileSync(HTTP_API, await httpApiPage());
