// [coordinator] The classes of a federation or a training, as a request names them.
import { z } from 'zod';

const WITHOUT_CONTROL_CHARACTERS = /^\P{Cc}*$/u;

export const classNames = z
  .array(z.string().min(1).max(200).regex(WITHOUT_CONTROL_CHARACTERS, 'must not hold control characters'))
  .min(2)
  .max(1000)
  .refine((names) => new Set(names).size === names.length, 'must be different names, got one twice');
