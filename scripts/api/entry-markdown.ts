// What an entry point exports, as Markdown: functions first, then classes, constants and types, with an index in front.
import type { ApiField, ApiMember, ApiName } from './read-entry.ts';
import { callText, LINE, typeText } from './type-text.ts';

type Kind<K extends ApiName['kind']> = ApiName & { kind: K };

/** Sections in their order. Names of one section stand in alphabetical order. */
const SECTIONS: readonly { title: string; kinds: readonly ApiName['kind'][] }[] = [
  { title: 'Functions', kinds: ['function'] },
  { title: 'Namespaces', kinds: ['namespace'] },
  { title: 'Classes', kinds: ['class'] },
  { title: 'Constants', kinds: ['constant'] },
  { title: 'Types', kinds: ['fields', 'type'] },
];

export interface Additions {
  /** Stands between values and types. */
  extra: string;
  /** By name: where its fields are shown, if not here. */
  elsewhere: ReadonlyMap<string, string>;
}

export function entryMarkdown(specifier: string, names: readonly ApiName[], { extra, elsewhere }: Additions): string {
  const sections = SECTIONS.map(({ title, kinds }) => ({
    title,
    names: names.filter(({ kind }) => kinds.includes(kind)),
  })).filter((section) => section.names.length > 0);
  const anchors = anchorsOf(sections);
  const index = sections.map(({ title, names: listed }) => {
    const links = listed.map(({ name }) => `[\`${name}\`](#${anchors.get(`${title} ${name}`)})`);
    return `| ${title.toLowerCase()} | ${links.join(', ')} |`;
  });
  const parts = sections.flatMap(({ title, names: listed }) => [
    ...(title === 'Types' && extra ? [extra] : []),
    `## ${title}`,
    ...(title === 'Constants'
      ? [constantTable(listed as Kind<'constant'>[])]
      : listed.map((one) => asSection(one, elsewhere.get(one.name)))),
  ]);
  return [`Everything that \`${specifier}\` exports:`, ['| | |', '|---|---|', ...index].join('\n'), ...parts].join(
    '\n\n',
  );
}

/** The addresses that GitHub gives to headings: of equal ones, the later are numbered. Constants stand in a table. */
function anchorsOf(sections: readonly { title: string; names: readonly ApiName[] }[]): Map<string, string> {
  const seen = new Map<string, number>();
  const anchors = new Map<string, string>();
  for (const { title, names } of sections) {
    for (const heading of [title, ...(title === 'Constants' ? [] : names.map(({ name }) => name))]) {
      const slug = heading.toLowerCase();
      const before = seen.get(slug) ?? 0;
      seen.set(slug, before + 1);
      anchors.set(`${title} ${heading}`, before === 0 ? slug : `${slug}-${before}`);
    }
    if (title === 'Constants') for (const { name } of names) anchors.set(`${title} ${name}`, 'constants');
  }
  return anchors;
}

function asSection(one: ApiName, elsewhere: string | undefined): string {
  const body = elsewhere ?? bodyOf(one);
  return [`### ${one.name}`, ...(one.kind === 'function' ? [body, prose(one.purpose)] : [prose(one.purpose), body])]
    .filter((part) => part !== '')
    .join('\n\n');
}

function bodyOf(one: ApiName): string {
  if (one.kind === 'function') return code(one.calls.map((call) => callText(one.name, call)).join('\n'));
  if (one.kind === 'class') return code(classText(one));
  if (one.kind === 'namespace') return code(namespaceText(one));
  if (one.kind === 'fields') return fieldTable(one);
  return one.kind === 'type' ? code(aliasText(one)) : '';
}

function classText({ name, typeParameters, heritage, members }: Kind<'class'>): string {
  return block(`class ${name}${typeParameters}${heritage}`, members.map(memberText));
}

function memberText({ prefix, name, purpose, calls, type }: ApiMember): string {
  const lines =
    calls.length > 0 ? calls.map((call) => callText(`${prefix}${name}`, call)) : [`${prefix}${name}: ${type}`];
  return [...comment(purpose), ...lines.map((line) => `${line};`)].join('\n');
}

const namespaceText = ({ name, names }: Kind<'namespace'>): string =>
  block(
    `namespace ${name}`,
    names.map((one) => [...comment(one.purpose), declarationText(one)].join('\n')),
  );

function declarationText(one: ApiName): string {
  if (one.kind === 'function') return one.calls.map((call) => `${callText(`function ${one.name}`, call)};`).join('\n');
  if (one.kind === 'constant') return `const ${one.name}: ${one.type};`;
  if (one.kind === 'type') return `${aliasText(one)};`;
  if (one.kind === 'class') return classText(one);
  if (one.kind === 'namespace') return namespaceText(one);
  const fields = one.fields.map(({ name, type, purpose }) => [...comment(purpose), `${name}: ${type};`].join('\n'));
  return block(`interface ${one.name}${one.typeParameters}`, fields);
}

/** Parts in braces, indented; a part with a comment has a line of air above it. */
function block(start: string, parts: readonly string[]): string {
  const lines = parts.flatMap((part, i) => (i > 0 && part.startsWith('/**') ? ['', part] : [part]));
  return `${start} {\n${lines.join('\n').replace(/^(?=.)/gm, '  ')}\n}`;
}

function aliasText({ name, typeParameters, written }: Kind<'type'>): string {
  const start = `type ${name}${typeParameters} =`;
  const line = `${start} ${typeText(written)}`;
  if (!written.includes('/*') && line.length <= LINE) return line;
  if (/^'[^']*'( \| '[^']*')+$/.test(written)) return `${start}\n  | ${written.replaceAll(' | ', '\n  | ')}`;
  return written.startsWith('|') ? `${start}\n  ${written}` : `${start} ${written}`;
}

function fieldTable({ name, typeParameters, fields, beside }: Kind<'fields'>): string {
  const rows = fields.map((field) => fieldRow(field));
  const isExplained = fields.some(({ purpose }) => purpose !== '');
  const head = isExplained ? ['| field | type | what |', '|---|---|---|'] : ['| field | type |', '|---|---|'];
  const table = rows.map(([field, type, what]) => `| ${field} | ${type} |${isExplained ? ` ${what} |` : ''}`);
  return [
    ...(typeParameters ? [`\`${name}${typeParameters}\``] : []),
    ...(beside.length > 0 ? [`It also has the fields of ${beside.map((parent) => `\`${parent}\``).join(', ')}.`] : []),
    ...(fields.length > 0 ? [[...head, ...table].join('\n')] : []),
  ].join('\n\n');
}

function fieldRow({ name, type, purpose }: ApiField): [string, string, string] {
  return [cell(`\`${name}\``), cell(`\`${type}\``), cell(prose(purpose))];
}

function constantTable(names: readonly Kind<'constant'>[]): string {
  const rows = names.map(
    ({ name, type, purpose }) => `| \`${name}\` | ${cell(`\`${type}\``)} | ${cell(prose(purpose))} |`,
  );
  return ['| constant | type | what |', '|---|---|---|', ...rows].join('\n');
}

/** A comment above a member, as wide as code may be. */
function comment(purpose: string): string[] {
  if (purpose === '') return [];
  if (purpose.length <= LINE - 9) return [`/** ${purpose} */`];
  const lines = [''];
  for (const word of purpose.split(' ')) {
    const last = lines[lines.length - 1];
    if (last !== '' && last.length + word.length + 1 > LINE - 5) lines.push(word);
    else lines[lines.length - 1] = last === '' ? word : `${last} ${word}`;
  }
  return ['/**', ...lines.map((line) => ` * ${line}`), ' */'];
}

const code = (text: string): string => `\`\`\`ts\n${text}\n\`\`\``;

/** Outside of code, `<` would begin a tag. */
const prose = (text: string): string =>
  text
    .split(/(`[^`]*`)/)
    .map((part, i) => (i % 2 === 0 ? part.replaceAll('<', '&lt;') : part))
    .join('');

export const cell = (text: string): string => text.replaceAll('|', '\\|');
