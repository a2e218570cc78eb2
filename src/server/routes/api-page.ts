// [coordinator] GET /docs: a page that lists the routes, made from the OpenAPI document.
import type { TypedApp } from '../app.ts';

interface Operation {
  description?: string;
  responses?: Record<string, { description?: string }>;
  'x-f3-roles'?: string[];
  parameters?: { name: string; in: string; required?: boolean }[];
  requestBody?: { content?: Record<string, { schema?: unknown }> };
}

const STYLE = `
:root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif; }
body { max-width: 52rem; margin: 0 auto; padding: 1.5rem; }
section { border-top: 1px solid #8884; padding: 0.75rem 0; }
h2 { font: 600 1rem/1.4 ui-monospace, monospace; margin: 0.25rem 0; overflow-wrap: anywhere; }
code { overflow-wrap: anywhere; }
h2 b { display: inline-block; min-width: 3.5rem; }
pre { overflow-x: auto; background: #8881; padding: 0.75rem; border-radius: 0.4rem; font-size: 0.85rem; }`;

export function addApiPage(app: TypedApp): void {
  let page: string | undefined;
  app.get('/docs', { config: { allow: 'public' }, schema: { hide: true } }, async (_, reply) => {
    // It never changes while a coordinator runs, and strangers may ask for it.
    page ??= pageOf(app);
    return reply.type('text/html; charset=utf-8').send(page);
  });
}

function pageOf(app: TypedApp): string {
  const { info, paths = {} } = app.swagger() as {
    info: { title: string; version: string };
    paths?: Record<string, Record<string, Operation>>;
  };
  const sections = Object.entries(paths).flatMap(([path, operations]) =>
    Object.entries(operations).map(([method, operation]) => section(method, path, operation)),
  );
  const intro = `Every request but those to <code>/v1/enrol</code>, health and metrics carries a signed token; <code>f3 federation</code>
and <code>f3 owner</code> make them. The same as data: <a href="/openapi.json">/openapi.json</a>.`;
  const title = escaped(`${info.title} ${info.version}`);
  return `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>${title}</title><style>${STYLE}</style><h1>${title}</h1><p>${intro}</p>${sections.join('\n')}</html>`;
}

function section(method: string, path: string, operation: Operation): string {
  const { description = '', parameters = [], requestBody, responses = {}, 'x-f3-roles': roles } = operation;
  const who = roles ? roles.map((role) => (role === 'labels' ? 'label holder' : role)).join(', ') : 'anyone, no token';
  const answers = Object.entries(responses).map(
    ([status, { description: says = '' }]) => `<li>${escaped(status)} <code>${escaped(says)}</code></li>`,
  );
  // The title already shows the parameters in the path.
  const named = parameters
    .filter(({ in: place }) => place !== 'path')
    .map(({ name, in: place }) => `<li><code>${escaped(name)}</code> in ${escaped(place)}</li>`);
  const list = named.length > 0 ? `<ul>${named.join('')}</ul>` : '';
  const bodies = Object.entries(requestBody?.content ?? {}).map(
    ([type, { schema }]) => `<p>${escaped(type)}</p><pre>${escaped(JSON.stringify(schema, null, 2) ?? '')}</pre>`,
  );
  const details = bodies.length > 0 ? `<details><summary>body</summary>${bodies.join('')}</details>` : '';
  return `<section><h2><b>${escaped(method.toUpperCase())}</b> ${escaped(path)}</h2>
<p>${withCode(description)}</p><p>Who: ${escaped(who)}</p>${list}${details}<ul>${answers.join('')}</ul></section>`;
}

/** Shows text between backticks as code. */
const withCode = (text: string): string => escaped(text).replace(/`([^`]*)`/g, '<code>$1</code>');

const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
