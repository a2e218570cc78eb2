// Server-sent events that go on after a gap: the browser resumes a broken stream, and a refused one is opened anew here.
import { noteSilence, tryNow } from './connection.ts';

const PAUSE_MS = 2000;

/** Calls `onEvent` for every event until the returned function is called, or `onEvent` returns false. */
export function openEvents<T>(path: string, onEvent: (data: T, id: string) => unknown): () => void {
  let source: EventSource | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let isOver = false;
  const close = (): void => {
    isOver = true;
    source?.close();
    clearTimeout(timer);
  };
  const open = (): void => {
    if (isOver) return;
    source = new EventSource(path);
    source.onmessage = ({ data, lastEventId }) => {
      if (onEvent(JSON.parse(data) as T, lastEventId) === false) close();
    };
    source.onerror = () => {
      void tryNow().catch(noteSilence);
      // The browser tries a broken connection again by itself. After a refusal, such as 503, it does not.
      if (source?.readyState === EventSource.CLOSED) timer = setTimeout(open, PAUSE_MS);
    };
  };
  open();
  return close;
}
