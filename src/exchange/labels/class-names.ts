// [wire] The rule for the names of classes. Routes and uploads share it.
import { F3Error } from '../../errors.ts';
import { isPlainText, PLAIN_TEXT_RULE } from '../plain-text.ts';

/** The most classes of a federation. */
export const MOST_CLASSES = 1000;
/** The most characters of a class name. */
export const MOST_CLASS_CHARACTERS = 200;

/** Refuses classes that a request could not name either. `name` stands in the message. */
export function requireClassNames(classes: readonly string[], name: string): void {
  if (classes.length > MOST_CLASSES) {
    throw new F3Error('F3_LABELS', `${name}: must have at most ${MOST_CLASSES} classes, got ${classes.length}`);
  }
  for (const each of classes) {
    if (each.length >= 1 && each.length <= MOST_CLASS_CHARACTERS && isPlainText(each)) continue;
    const rule = `class names must have 1 to ${MOST_CLASS_CHARACTERS} characters and ${PLAIN_TEXT_RULE}`;
    throw new F3Error('F3_LABELS', `${name}: ${rule}, got ${JSON.stringify(each.slice(0, 80))}`);
  }
}
