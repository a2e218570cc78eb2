// JSON with its keys in order and no spaces (RFC 8785), so that a value has one text and therefore one hash.

/** Takes what JSON can hold; members that are undefined are left out. */
export function canonicalJson(value: unknown): string {
  return textOf(JSON.parse(JSON.stringify(value)));
}

/** The text is put together by hand, because an object would bring keys that look like numbers into an order of its own. */
function textOf(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(textOf).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const members = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${members.map(([key, inner]) => `${JSON.stringify(key)}:${textOf(inner)}`).join(',')}}`;
}
