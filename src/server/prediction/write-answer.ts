// [coordinator] Writes a long answer as JSON a few items at a time, so that other requests have their turn between them.
import { setImmediate as nextTurn } from 'node:timers/promises';

/** So many bytes of text are written before other requests have their turn. */
const SLICE_BYTES = 128 * 1024;
/** A batch of items is written at once, to see how long they are. */
const BATCH = 50;

/** The text of `{...head, [name]: items}`. */
export async function writeAnswer(head: object, name: string, items: readonly object[]): Promise<Buffer> {
  const opening = JSON.stringify({ ...head, [name]: [] }).slice(0, -2);
  const parts = [Buffer.from(opening)];
  let pause = SLICE_BYTES;
  for (let i = 0; i < items.length; i += BATCH) {
    const text = Buffer.from(`${i > 0 ? ',' : ''}${JSON.stringify(items.slice(i, i + BATCH)).slice(1, -1)}`);
    parts.push(text);
    pause -= text.length;
    if (pause > 0) continue;
    pause = SLICE_BYTES;
    await nextTurn();
  }
  parts.push(Buffer.from(']}'));
  return Buffer.concat(parts);
}
