// Waits for work to end, or for a signal to end the wait.

/**
 * Settles as `work` does, or rejects with the signal's reason as soon as the signal is aborted. The work itself goes on
 * until its owner stops it.
 */
export async function untilAborted<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (!signal) return work;
  const listening = new AbortController();
  const aborted = new Promise<never>((_, reject) => {
    if (signal.aborted) reject(signal.reason);
    signal.addEventListener('abort', () => reject(signal.reason), { signal: listening.signal });
  });
  try {
    return await Promise.race([work, aborted]);
  } finally {
    listening.abort();
  }
}
