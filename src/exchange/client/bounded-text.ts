// [wire] Reads the text of an answer up to a limit, so that an answer without end costs no more memory than that.
import { F3Error } from '../../errors.ts';

/** The graph of a thousand owners, the longest answer, has about 20 MB. */
export const MOST_ANSWER_BYTES = 256 * 2 ** 20;
/** A refusal is a line. */
export const MOST_REFUSAL_BYTES = 64 * 1024;

/** Throws F3_CLIENT_RESPONSE beyond `most` bytes, and lets go of the line. */
export async function boundedText({ body }: Pick<Response, 'body'>, most: number): Promise<string> {
  if (!body) return '';
  const chunks: Uint8Array[] = [];
  let length = 0;
  // Leaving the loop cancels the stream, which ends the connection.
  for await (const chunk of body as unknown as AsyncIterable<Uint8Array>) {
    length += chunk.length;
    if (length > most) {
      throw new F3Error('F3_CLIENT_RESPONSE', `answer: must have at most ${most} bytes, got one that goes on`);
    }
    chunks.push(chunk);
  }
  return new TextDecoder().decode(Buffer.concat(chunks));
}
