// [coordinator] The classes of a federation or a training, as a request names them.
import { z } from 'zod';
import { MOST_CLASS_CHARACTERS, MOST_CLASSES } from '../exchange/labels/class-names.ts';
import { isPlainText, PLAIN_TEXT_RULE } from '../exchange/plain-text.ts';

export const classNames = z
  .array(z.string().min(1).max(MOST_CLASS_CHARACTERS).refine(isPlainText, PLAIN_TEXT_RULE))
  .min(2)
  .max(MOST_CLASSES)
  .refine((names) => new Set(names).size === names.length, 'must be different names, got one twice');
