// [wire] A training's progress as server-sent events (HTML, 9.2), read to its end through breaks of the line.
import { F3Error } from '../../errors.ts';
import { FINAL_PHASES, type TrainingEvent } from '../messages.ts';
import type { Connection } from './connection.ts';

/** Ends after the event that tells of a final phase. */
export async function* trainingEvents(
  connection: Connection,
  path: string,
  signal?: AbortSignal,
): AsyncGenerator<TrainingEvent> {
  const { attempts } = connection.backOff;
  let last: string | undefined;
  for (let failures = 1; ; failures++) {
    const headers = last === undefined ? {} : { 'last-event-id': last };
    const options = { accept: 'text/event-stream', headers, ...(signal && { signal }) };
    let interruption: unknown = new Error('an end before the training had ended');
    try {
      for await (const { id, data } of parseEvents(await connection.stream(path, options))) {
        last = id ?? last;
        const event = JSON.parse(data) as TrainingEvent;
        yield event;
        if (isOver(event)) return;
        failures = 0;
      }
    } catch (thrown) {
      interruption = thrown;
    }
    const failure = connection.failure(interruption);
    if (signal?.aborted || failure.isFinal || failures >= attempts) throw failure;
    await connection.pause(Math.max(1, failures), failure);
  }
}

/** An epoch, or the reason why a training failed, takes a few lines. */
const MOST_EVENT_CHARACTERS = 2 ** 20;

const isOver = ({ state }: TrainingEvent): boolean =>
  state !== undefined && (FINAL_PHASES as readonly string[]).includes(state);

interface ServerEvent {
  id: string | undefined;
  data: string;
}

/** Comments and empty events, which keep a line open, are left out. */
export async function* parseEvents(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<ServerEvent> {
  const decoder = new TextDecoder();
  let rest = '';
  let fields: [string, string][] = [];
  for await (const chunk of chunks) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split(/\r\n|\n|\r(?!$)/);
    rest = lines.pop() ?? '';
    if (rest.length + fields.length > MOST_EVENT_CHARACTERS) {
      const rule = `must have at most ${MOST_EVENT_CHARACTERS} characters`;
      throw new F3Error('F3_CLIENT_RESPONSE', `event of a training: ${rule}, got one that goes on`);
    }
    for (const line of lines) {
      if (line !== '') {
        fields.push(readField(line));
        continue;
      }
      const data = fields.filter(([name]) => name === 'data').map(([, value]) => value);
      const id = fields.findLast(([name]) => name === 'id')?.[1];
      fields = [];
      if (data.length > 0) yield { id, data: data.join('\n') };
    }
  }
}

/** Reads `name: value`; a comment has an empty name. */
function readField(line: string): [string, string] {
  const at = line.indexOf(':');
  return at < 0 ? [line, ''] : [line.slice(0, at), line.slice(at + 1).replace(/^ /, '')];
}
