// [owner] The classes of a data set, from the labels that occur in a table.
import { F3Error, type Remedy } from '../../errors.ts';

/**
 * With `names` given, every label must be one of them. Otherwise labels that are whole numbers must run from 0 without
 * a hole, and texts are put in alphabetical order. `thing` names the column in errors.
 */
export function chooseClasses(
  labels: readonly string[],
  names: readonly string[] | undefined,
  thing: string,
): readonly string[] {
  const fail = (rule: string, value: string, remedy?: Remedy): never => {
    throw new F3Error('F3_DATA_LABEL', `${thing}: ${rule}, got ${value}`, { remedy });
  };
  if (names) {
    const unknown = labels.find((label) => !names.includes(label));
    return unknown === undefined ? names : fail(`labels must be among ${names.join(', ')}`, unknown);
  }
  if (labels.length < 2) return fail('there must be at least two classes', labels[0] ?? 'none');
  if (!labels.every((label) => /^-?\d+$/.test(label))) return labels.toSorted();
  const numbers = labels.map(Number).sort((a, b) => a - b);
  const hole = numbers.find((number, i) => number !== i);
  if (hole === undefined) return numbers.map(String);
  return fail('labels that are whole numbers must run from 0 without a hole', String(hole), 'classes');
}
