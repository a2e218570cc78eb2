// [entity] The ledger of one federation on disk: every opening that this entity has ever taken part in, over all conversations.
import { existsSync, readFileSync } from 'node:fs';
import { Ledger, type LedgerLine } from '../ledger.ts';
import { writeSettled } from './settled-files.ts';

/** One ledger for all conversations of a federation, so that none overwrites another's lines. */
export class LedgerFile {
  readonly ledger: Ledger;
  readonly #file: string;
  #written: string;

  constructor(file: string) {
    this.#file = file;
    this.#written = existsSync(file) ? readFileSync(file, 'utf8') : '';
    this.ledger = new Ledger(this.#written === '' ? [] : (JSON.parse(this.#written) as LedgerLine[]));
  }

  lines(): LedgerLine[] {
    return this.ledger.lines();
  }

  /** Writes what has been opened since the last time. */
  settle(): void {
    const lines = this.ledger.lines();
    const text = `${JSON.stringify(lines, null, 2)}\n`;
    if (lines.length === 0 || text === this.#written) return;
    writeSettled(this.#file, text);
    this.#written = text;
  }
}
