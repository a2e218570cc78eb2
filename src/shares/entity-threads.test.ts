import { afterAll, expect, it } from 'vitest';

import { Engine } from '../core/engine/engine.ts';
import { EntityCalls } from './entity-calls.ts';
import { startEntityThreads } from './entity-threads.ts';
import { Scheme } from './scheme.ts';
import { shareEmbeddings } from './share-embeddings.ts';

const engine = new Engine({ threads: 1 });
afterAll(() => engine.dispose());

it('entities in threads open a model, keep it, tell their ledgers and end', async () => {
  const scheme = new Scheme(1, 3);
  const embeddings = Float32Array.from({ length: 4 * 2 * 3 }, (_, i) => i / 7);
  const { transport, channel, ended } = startEntityThreads(scheme, shareEmbeddings(scheme, embeddings, 2, 3));
  const calls = new EntityCalls(transport, [1, 2, 3], channel);
  const shape = {
    owners: 2,
    width: 3,
    hidden: 2,
    classes: 2,
    projection: 'common',
    hasGraph: false,
    learnsGraph: false,
    skip: false,
  } as const;
  const first = { W0: new Float32Array(6), b0: new Float32Array(2), W1: new Float32Array(4), b1: new Float32Array(2) };
  await calls.call({ kind: 'open', about: 'test', shape, momentum: 0.9 }, first);
  await calls.call({ kind: 'save', name: 'a' });
  await calls.call({ kind: 'load', name: 'a', about: 'test', steps: 0 });
  await expect(calls.call({ kind: 'load', name: 'a', about: 'test', steps: 4 })).rejects.toThrow(
    expect.objectContaining({
      code: 'F3_SHARES_STATE',
      message: expect.stringMatching(
        /^entity [123]: checkpoint of shares: must be of test after step 4, got test after step 0$/,
      ),
    }),
  );
  const { W0, ...lacking } = first;
  await expect(calls.call({ kind: 'open', about: 'test', shape, momentum: 0.9 }, lacking)).rejects.toThrow(
    `model on shares: W0 must have ${W0.length} first values, got none`,
  );
  const answers = await calls.call({ kind: 'ledger' });
  expect(answers.map(({ facts }) => facts.lines)).toEqual([[], [], []]);
  await calls.call({ kind: 'end' });
  expect((await ended()).map(({ times }) => times)).toEqual([[], [], []]);
});
