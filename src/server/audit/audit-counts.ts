// [coordinator] Counts what happens too often for an entry each (refusals, reads, predictions) and writes one entry per minute.
import { appendAudit, COORDINATOR } from '../../storage/audit.ts';
import type { Store } from '../../storage/database/open-database.ts';

/** What is counted, and the action of the entry. */
export type CountedAction = 'token.refused' | 'code.refused' | 'model.read' | 'model.questioned' | 'prediction.made';

/** Who did it and from where. All fields together tell one from another. */
export interface CountedBy {
  who?: string | undefined;
  keyId?: string | undefined;
  address?: string | undefined;
  /** Code of the refusal. */
  code?: string | undefined;
}

interface Window {
  federation: string | null;
  action: CountedAction;
  from: Date;
  total: number;
  by: Map<string, { by: CountedBy; count: number }>;
}

/** So many are told apart in an entry, those with the highest counts. The rest is one number. */
const MOST_TOLD = 20;
/** So many are told apart in memory. */
const MOST_COUNTED = 1000;

export class AuditCounts {
  readonly #store: Store;
  readonly #timer: NodeJS.Timeout;
  #windows = new Map<string, Window>();
  #last: Promise<void> = Promise.resolve();

  constructor(store: Store, seconds: number) {
    this.#store = store;
    // A failure here needs no report: requests that use the database fail in the same way and report it.
    this.#timer = setInterval(() => void this.flush().catch(() => undefined), seconds * 1000).unref();
  }

  note(federation: string | null, action: CountedAction, by: CountedBy): void {
    const name = `${federation ?? ''} ${action}`;
    const window = this.#windows.get(name) ?? { federation, action, from: new Date(), total: 0, by: new Map() };
    this.#windows.set(name, window);
    window.total++;
    const key = JSON.stringify([by.who, by.keyId, by.address, by.code]);
    const counted = window.by.get(key);
    if (counted) counted.count++;
    else if (window.by.size < MOST_COUNTED) window.by.set(key, { by, count: 1 });
  }

  /** Writes what was counted so far. */
  flush(): Promise<void> {
    this.#last = this.#last.catch(() => undefined).then(() => this.#write());
    return this.#last;
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.flush().catch(() => undefined);
  }

  async #write(): Promise<void> {
    const windows = [...this.#windows.values()];
    this.#windows = new Map();
    const to = new Date().toISOString();
    for (const { federation, action, from, total, by } of windows) {
      const told = [...by.values()].sort((a, b) => b.count - a.count).slice(0, MOST_TOLD);
      const others = total - told.reduce((sum, { count }) => sum + count, 0);
      const details = {
        from: from.toISOString(),
        to,
        total,
        by: told.map((one) => ({ ...one.by, count: one.count })),
        ...(others > 0 && { others }),
      };
      await appendAudit(this.#store.db, { federation, actor: COORDINATOR, action, details });
    }
  }
}
