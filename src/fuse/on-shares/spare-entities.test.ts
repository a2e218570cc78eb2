// More entities than products need: a training goes on without one of them to the very bits that all of them would have come to.
import { afterAll, describe, expect, it } from 'vitest';
import { runEntities } from '../../../test/support/local-entities.ts';
import { toyLabels } from '../../../test/support/toy-bundles.ts';
import { Engine } from '../../core/engine/engine.ts';
import { RandomStream } from '../../core/random.ts';
import { mergedLedger } from '../../shares/ledger.ts';
import { MemoryStore } from '../../shares/memory-store.ts';
import { Scheme } from '../../shares/scheme.ts';
import { shareEmbeddings } from '../../shares/share-embeddings.ts';
import { sharesPreset } from '../fusion-config.ts';
import { decodeSharesState, encodeSharesState } from './shares-state.ts';
import { modelName, trainOnShares } from './train-on-shares.ts';

const [OWNERS, WIDTH, SAMPLES] = [4, 3, 60];

describe('a training on shares with four entities, of which three suffice', async () => {
  const engine = new Engine({ threads: 1 });
  afterAll(() => engine.dispose());
  const scheme = new Scheme(1, 4);
  const random = new RandomStream(4, 0);
  const values = Float32Array.from({ length: SAMPLES * OWNERS * WIDTH }, () => random.normal());
  const shares = shareEmbeddings(scheme, values, OWNERS, WIDTH);
  const rows = Uint32Array.from({ length: SAMPLES }, (_, i) => i);
  const split = { train: rows.subarray(0, 40), validation: rows.subarray(40, 50), test: rows.subarray(50) };
  const data = { labels: toyLabels(SAMPLES, 2, 1), split };
  const shape = { owners: OWNERS, width: WIDTH, classes: 2 };
  const config = { ...sharesPreset, graph: 'icdf' as const, hidden: 4, batch: 10, epochs: 2 };

  const stores = scheme.sets.map(() => new MemoryStore());
  /** What entities and coordinator had kept after step 3. */
  const kept = scheme.sets.map(() => new Map<string, Uint8Array>());
  let state = new Uint8Array();
  const losses: number[] = [];
  const watched = stores.map((store, j) => ({
    load: (name: string) => store.load(name),
    forget: (name: string) => store.forget(name),
    save: async (name: string, bytes: Uint8Array) => {
      await store.save(name, bytes);
      if (losses.length === 3) kept[j].set(name, bytes.slice());
    },
  }));
  const all = runEntities(scheme, shares, watched);
  const trained = await trainOnShares(engine, all.link, config, shape, data, {
    onStep: (_, loss) => losses.push(loss),
    checkpointEvery: 3,
    onCheckpoint: (now) => {
      if (losses.length === 3) state = encodeSharesState(now, 'test');
    },
  });
  await all.end();

  const storesWithout = (entity: number) =>
    kept.map((files, j) => {
      const store = new MemoryStore();
      if (j + 1 !== entity) for (const [name, bytes] of files) void store.save(name, bytes);
      return store;
    });

  it.each([
    ['is away', 3, [1, 2, 4]],
    ['has come back and missed the checkpoint', 2, [1, 2, 3, 4]],
  ])('goes on to the same bits where one %s', async (_, entity, active) => {
    const own = storesWithout(entity);
    const rest = runEntities(scheme, shares, own, { active });
    const more: number[] = [];
    const resumed = await trainOnShares(engine, rest.link, config, shape, data, {
      resume: decodeSharesState(state.slice(), 'test'),
      onStep: (_step, loss) => more.push(loss),
    });
    expect(rest.link.calls.entities).toEqual([1, 2, 3, 4].filter((one) => one !== entity));
    expect(losses.length).toBe(8);
    expect(more).toEqual(losses.slice(3));
    expect(resumed).toEqual(trained);
    const name = modelName(trained.id);
    for (const [j, store] of own.entries()) {
      if (j + 1 !== entity) expect(await store.load(name)).toEqual(await stores[j].load(name));
    }
    // The ledger says who took part.
    const lines = rest.ledgers.map((ledger) => ledger.lines());
    const others = rest.link.calls.entities;
    expect(lines.flat().every(({ among }) => String(among) === String(others))).toBe(true);
    expect(mergedLedger(lines).map(({ what }) => what)).toContain('edge gradients');
    await rest.end();
  });

  it('names an entity that has nothing where too few are left without it', async () => {
    const [first, second] = [storesWithout(2), storesWithout(4)];
    const rest = runEntities(scheme, shares, [first[0], first[1], first[2], second[3]]);
    const resume = decodeSharesState(state.slice(), 'test');
    await expect(trainOnShares(engine, rest.link, config, shape, data, { resume })).rejects.toThrow(
      /entity 2: checkpoint of shares: .* must be kept here, got none/,
    );
    await rest.end();
  });
});
