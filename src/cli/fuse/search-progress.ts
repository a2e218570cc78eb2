// Shows on stderr how far a search is: a bar of fits with the time left on a terminal, elsewhere a line every ten seconds.
import type { SearchProgress } from '../../fuse/search/search-report.ts';
import { Progress, roughly } from '../terminal/progress.ts';

/** What is needed of a report, which may have come from a coordinator. */
export type ShownSearch = Omit<SearchProgress, 'stage' | 'total'> & { total?: number | undefined };

export class SearchProgressLines {
  readonly #progress = new Progress();
  #start: number | undefined;

  readonly update = ({ done, total, fit, name, epoch, best, secondsLeft }: ShownSearch): void => {
    this.#start ??= performance.now();
    const now = `fit ${fit}${epoch === undefined ? '' : ` epoch ${epoch}`}: ${name}`;
    const note = best ? `${now}; best ${best.criterion.toFixed(4)}` : now;
    if (total !== undefined) {
      this.#progress.update('searching', done, total, { note, secondsLeft });
      return;
    }
    // Only time is limited, so the bar is one of seconds.
    const spent = (performance.now() - this.#start) / 1000;
    const all = Math.ceil(spent + (secondsLeft ?? 0));
    const left = secondsLeft === undefined ? '' : `, ${roughly(secondsLeft)} left`;
    this.#progress.update('searching', Math.floor(spent), all, { note: `${done} fits done${left}, ${note}` });
  };

  stop(): void {
    this.#progress.stop();
  }
}
