// Checks that a text is well-formed XML: tags nest, attributes are quoted, and no ampersand or angle bracket is astray.

/** The first fault, or undefined. */
export function xmlFault(text: string): string | undefined {
  const open: string[] = [];
  let end = 0;
  for (const match of text.matchAll(/<(\/?)([A-Za-z][\w:.-]*)((?:\s+[\w:.-]+="[^"<]*")*)\s*(\/?)>/g)) {
    const between = text.slice(end, match.index);
    end = match.index + match[0].length;
    if (/[<>]/.test(between) || /&(?!#?\w+;)/.test(between + match[3])) return `stray markup: ${between}${match[0]}`;
    const [, closing, name, , empty] = match;
    if (closing && open.pop() !== name) return `unexpected ${match[0]}`;
    if (!closing && !empty) open.push(name);
  }
  if (text.slice(end).trim() !== '') return `text after the end: ${text.slice(end)}`;
  return open.length > 0 ? `not closed: ${open.join(', ')}` : undefined;
}
