// Attacks by listeners to a training: what they do not read must not pile up in the coordinator's memory.
import { Writable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { describeStores, someFederation } from '../../../test/support/describe-stores.ts';
import { createTraining, reportProgress, startTraining } from '../../storage/trainings.ts';
import { SharedReads } from '../shared-reads.ts';
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
    const sent = sendEvents(db, new SharedReads(), federation, id, {
      to: line,
      isOperator: false,
      seen: 0,
      mayKnow: async () => new Set(),
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

/** Counts what is asked of the database. */
class CountedReads extends SharedReads {
  finds = 0;

  override read<T>(key: string, find: () => Promise<T>, keptMs?: number): Promise<T> {
    const counted = () => {
      this.finds++;
      return find();
    };
    return super.read(key, counted, keptMs);
  }
}

/** A line whose other end reads at once. */
class FastLine extends Writable {
  readonly events: string[] = [];

  override _write(chunk: Buffer, _: string, done: () => void): void {
    this.events.push(String(chunk));
    done();
  }
}

describeStores('those who listen to a training', (suite) => {
  async function running(holder: string) {
    const { db } = suite;
    const federation = await someFederation(db);
    const disclosure = { holder, parts: { train: 100, validation: 100, test: 100 } };
    const { id } = await createTraining(db, { federation, requestedBy: 'registry', disclosure, options: {} });
    return { db, federation, id, run: await startTraining(db, id, 'box:7') };
  }

  test('attack: two hundred at once hardly ask the database more often than one', async () => {
    const { db, federation, id, run } = await running('registry');
    const ending = new AbortController();
    const reads = new CountedReads();
    const lines = Array.from({ length: 200 }, () => new FastLine());
    const known = new Set<string>();
    const mayKnow = () => reads.read('member', async () => known);
    const listening = lines.map((to) =>
      sendEvents(db, reads, federation, id, { to, isOperator: false, seen: 0, mayKnow, ending: ending.signal }),
    );
    for (let epoch = 1; epoch <= 4; epoch++) {
      await reportProgress(db, run, { epoch });
      await sleep(300);
    }
    while (lines.some(({ events }) => !events.at(-1)?.includes('"epoch":4'))) await sleep(5);
    // Each by itself would have asked for the training and for its rights with every event.
    expect(reads.finds).toBeLessThan(lines.length);
    ending.abort();
    await Promise.all(listening);
  });

  test('attack: one whose grant was taken back is told rounded losses from the next event on', async () => {
    const { db, federation, id, run } = await running('rosemary');
    const ending = new AbortController();
    const to = new FastLine();
    let known = new Set(['rosemary']);
    const mayKnow = async () => known;
    const listener = { to, isOperator: false, seen: 0, mayKnow, ending: ending.signal };
    const listening = sendEvents(db, new SharedReads(), federation, id, listener);
    const told = async (epoch: number) => {
      const progress = { epoch, trainLoss: 0.123456, validationLoss: 0.654321 };
      await reportProgress(db, run, progress, [{ number: epoch, ...progress }]);
      while (!to.events.at(-1)?.includes(`"epoch":${epoch}`)) await sleep(5);
      return to.events.at(-1);
    };
    expect(await told(1)).toContain('0.654321');
    known = new Set();
    const after = await told(2);
    expect(after).toContain('"validationLoss":0.65');
    expect(after).not.toContain('0.654321');
    ending.abort();
    await listening;
  });
});
