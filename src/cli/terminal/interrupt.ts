// Handles Ctrl-C during work that can stop in an orderly way. A second Ctrl-C ends the program at once.

/** A display of progress that must be stopped before anything else is written. */
interface Shown {
  stop(): void;
}

/**
 * Runs `work`, whose signal is aborted by Ctrl-C. Once it has stopped the program exits with 130, and `hint` says what
 * can be done about it.
 */
export async function untilInterrupted<T>(
  hint: string,
  shown: Shown,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const controller = new AbortController();
  const stop = () => {
    shown.stop();
    process.stderr.write('f3: stopping at the next step; once more ends at once\n');
    controller.abort();
  };
  process.once('SIGINT', stop);
  process.once('SIGTERM', stop);
  try {
    const result = await work(controller.signal);
    if (!controller.signal.aborted) return result;
  } catch (error) {
    if (error !== controller.signal.reason) throw error;
  } finally {
    process.off('SIGINT', stop);
    process.off('SIGTERM', stop);
    shown.stop();
  }
  process.stderr.write(`f3: interrupted; ${hint}\n`);
  process.exit(130);
}
