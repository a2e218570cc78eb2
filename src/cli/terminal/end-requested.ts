// How a program that serves is told to end.

/**
 * Resolves at Ctrl-C or SIGTERM; a second signal ends the program at once. To be called before the program is ready: whoever waits for that
 * may send the signal in the same moment.
 */
export function endRequested(): Promise<void> {
  return new Promise((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => resolve());
  });
}
