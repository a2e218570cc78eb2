// Attacks by listeners to a training: what they do not read must not pile up in the coordinator's memory.
import { Writable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { describeStores, someFederation } from '../../../test/support/describe-stores.ts';
import { createTraining, reportProgress, startTraining } from '../../storage/trainings.ts';
import { sendEvents } from './training-events.ts';

/** A line with room for one event, whose other end reads when it is told to. */
class SlowLine extends Writable {
  readonly events: string[] = [];
  #read: (() => void) | undefined;

  constructor() {
    super({ highWaterMark: 1 });
  }

  override _write(chunk: Buffer, _: string, done: () => void): void {
    this.events.push(String(chunk));
    this.#read = done;
  }

  read(): void {
    this.#read?.();
  }
}

describeStores('a listener that does not read', (suite) => {
  test('is told nothing more, and how things stand when it reads on', async () => {
    const { db } = suite;
    const federation = await someFederation(db);
    const { id } = await createTraining(db, { federation, requestedBy: 'registry', options: {} });
    const run = await startTraining(db, id, 'box:7');
    const line = new SlowLine();
    const ending = new AbortController();
    const sent = sendEvents(db, federation, id, {
      to: line,
      exact: new Set(),
      isOperator: false,
      seen: 0,
      isMember: async () => true,
      ending: ending.signal,
    });
    while (line.events.length === 0) await sleep(5);
    for (let epoch = 1; epoch <= 5; epoch++) {
      await reportProgress(db, run, { epoch });
      await sleep(300);
    }
    expect(line.events).toHaveLength(1);
    expect(line.writableLength).toBe(line.events[0].length);
    line.read();
    while (line.events.length === 1) await sleep(5);
    expect(line.events[1]).toContain('"epoch":5');
    ending.abort();
    await sent;
  });
});
