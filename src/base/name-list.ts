// Lists of names as they stand in JSON that somebody else may have written.

export const isNameList = (value: unknown): value is string[] =>
  Array.isArray(value) && value.every((name) => typeof name === 'string');

/** Undefined for what is no JSON, and for JSON that is no list of texts. */
export function parseNameList(json: string): string[] | undefined {
  try {
    const value: unknown = JSON.parse(json);
    return isNameList(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
