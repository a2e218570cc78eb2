// What a component shows of the coordinator: asked for when the path changes, now and then, and when the coordinator came back.
import { useEffect, useRef, useState } from 'preact/hooks';
import { isAttended, returns } from './connection.ts';
import { ask, Refusal, Silence } from './request.ts';

/** What was asked for: nothing yet, the answer, or why there is none. An answer stays while a newer one is asked for. */
export interface Loaded<T> {
  data?: T | undefined;
  refusal?: Refusal | undefined;
  isLoading: boolean;
  reload(): void;
}

interface LoadOptions<T> {
  /** Milliseconds after which it is asked for again; a function may look at the answer. */
  every?: number | ((data: T | undefined) => number | undefined);
  /** It is asked for again when this changes. */
  since?: string | number;
}

/** A path of null asks for nothing. */
export function useLoaded<T>(path: string | null, { every, since }: LoadOptions<T> = {}): Loaded<T> {
  const [state, setState] = useState<{ path: string | null; data?: T; refusal?: Refusal; isLoading: boolean }>({
    path,
    isLoading: path !== null,
  });
  const [count, setCount] = useState(0);
  const pace = useRef(every);
  pace.current = every;
  const generation = returns.value;
  useEffect(() => {
    if (path === null) return;
    const ending = new AbortController();
    let timer: ReturnType<typeof setTimeout> | undefined;
    const load = async (): Promise<void> => {
      let data: T | undefined;
      try {
        data = await ask<T>(path, { signal: ending.signal });
        if (ending.signal.aborted) return;
        setState({ path, data, isLoading: false });
      } catch (error) {
        if (ending.signal.aborted) return;
        if (error instanceof Refusal) setState({ path, refusal: error, isLoading: false });
        else if (error instanceof Silence)
          return; // the connection's return starts this effect again
        else throw error;
      }
      const pause = typeof pace.current === 'function' ? pace.current(data) : pace.current;
      if (pause !== undefined) timer = setTimeout(later, pause);
    };
    const later = (): void => {
      if (isAttended()) void load();
      else timer = setTimeout(later, 1000);
    };
    void load();
    return () => {
      ending.abort();
      clearTimeout(timer);
    };
  }, [path, count, generation, since]);
  const reload = (): void => setCount((n) => n + 1);
  // The answer to another path is not shown under this one.
  if (state.path !== path) return { isLoading: path !== null, reload };
  const { data, refusal, isLoading } = state;
  return { data, refusal, isLoading, reload };
}
