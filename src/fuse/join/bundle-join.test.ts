import { afterAll, describe, expect, it } from 'vitest';
import { toyBundle } from '../../../test/support/toy-bundles.ts';
import { Engine } from '../../core/engine/engine.ts';
import type { Bundle } from '../../exchange/bundle/bundle.ts';
import { BundleJoin } from './bundle-join.ts';

const engine = new Engine({ threads: 1 });
afterAll(() => engine.dispose());

function bundle(owner: string, samples: string[], embeddings: number[], change: Partial<Bundle> = {}): Bundle {
  const width = embeddings.length / samples.length;
  return { owner, samples, sampleType: 'text', width, embeddings: Float32Array.from(embeddings), ...change };
}

describe('a join of bundles', () => {
  it('puts every owner’s rows at their samples, zero and absent where it has none', () => {
    const join = new BundleJoin(engine, { samples: ['a', 'b', 'c'], expected: 2 });
    expect(join.add(bundle('x', ['c', 'a', 'z'], [1, 2, 3, 4, 5, 6]), 'hash-x')).toEqual({
      owner: 'x',
      width: 2,
      bundle: 'hash-x',
      rows: 3,
      joined: 2,
    });
    join.add(bundle('y', ['a', 'b', 'c'], [7, 8, 9, 10, 11, 12]), 'hash-y');
    const { embeddings, present, isComplete, owners } = join.finish();
    expect(embeddings.shape).toEqual([3, 2, 2]);
    expect(Array.from(embeddings.data)).toEqual([3, 4, 7, 8, 0, 0, 9, 10, 1, 2, 11, 12]);
    expect(Array.from(present.data)).toEqual([1, 1, 0, 1, 1, 1]);
    expect(isComplete).toBe(false);
    expect(owners.map(({ owner }) => owner)).toEqual(['x', 'y']);
  });

  it('closes up when fewer owners come than were expected', () => {
    for (const samples of [['a', 'b', 'c'], undefined]) {
      const join = new BundleJoin(engine, { samples, expected: 4, votes: true });
      const votes = { classes: 2, probabilities: Float32Array.of(0.1, 0.9, 0.2, 0.8, 0.3, 0.7) };
      join.add(bundle('x', ['a', 'b', 'c'], [1, 2, 3, 4, 5, 6], votes), '');
      join.add(bundle('y', ['a', 'b', 'c'], [7, 8, 9], votes), '');
      const { owners, embeddings, present, isComplete, votes: kept } = join.finish();
      expect(owners.map(({ owner }) => owner)).toEqual(['x', 'y']);
      expect(embeddings.shape).toEqual([3, 2, 2]);
      expect(Array.from(embeddings.data)).toEqual([1, 2, 7, 0, 3, 4, 8, 0, 5, 6, 9, 0]);
      expect(Array.from(present.data)).toEqual([1, 1, 1, 1, 1, 1]);
      expect(isComplete).toBe(true);
      expect(kept?.probabilities).toEqual([votes.probabilities, votes.probabilities]);
    }
  });

  it('fills narrower embeddings up with zeros, in whatever order widths come', () => {
    const narrow = bundle('x', ['a', 'b'], [1, 2]);
    const wide = bundle('y', ['b', 'a'], [3, 4, 5, 6]);
    for (const order of [
      [narrow, wide],
      [wide, narrow],
    ]) {
      const join = new BundleJoin(engine, { samples: ['a', 'b'], expected: 2 });
      for (const each of order) join.add(each, '');
      const { embeddings, width, owners } = join.finish();
      expect(width).toBe(2);
      const slot = owners.findIndex(({ owner }) => owner === 'x');
      const row = (sample: number, owner: number) =>
        Array.from(embeddings.data.subarray((sample * 2 + owner) * 2, (sample * 2 + owner + 1) * 2));
      expect([row(0, slot), row(1, slot)]).toEqual([
        [1, 0],
        [2, 0],
      ]);
      expect([row(0, 1 - slot), row(1, 1 - slot)]).toEqual([
        [5, 6],
        [3, 4],
      ]);
    }
  });

  it('without a list of samples takes all that come, more than it first made room for', () => {
    const count = 3000;
    const ids = Array.from({ length: count }, (_, i) => `s${i}`);
    const numbers = ids.map((_, i) => i);
    const join = new BundleJoin(engine, { expected: 2, votes: true });
    const votes = (from: number[]) => ({
      classes: 2,
      probabilities: Float32Array.from(from.flatMap((v) => [v, 1 - v])),
    });
    join.add(bundle('x', ids.slice(0, 10), numbers.slice(0, 10), votes(numbers.slice(0, 10))), '');
    join.add(bundle('y', ids.toReversed(), numbers.toReversed(), votes(numbers.toReversed())), '');
    const joined = join.finish();
    expect(joined.samples).toHaveLength(count);
    expect(joined.embeddings.shape).toEqual([count, 2, 1]);
    expect(joined.samples.every((id, row) => joined.embeddings.data[2 * row + 1] === Number(id.slice(1)))).toBe(true);
    expect(joined.votes?.probabilities.map((values) => values.length)).toEqual([2 * count, 2 * count]);
    expect(joined.present.data.reduce((a, b) => a + b)).toBe(count + 10);
  });

  it('keeps the order and the gaps of a model’s owners', () => {
    const owners = ['p', 'q', 'r'].map((owner) => ({ owner, width: 1 }));
    const join = new BundleJoin(engine, { owners });
    join.add(bundle('r', ['a'], [5]), 'h');
    const { embeddings, present, owners: joined } = join.finish();
    expect(Array.from(embeddings.data)).toEqual([0, 0, 5]);
    expect(Array.from(present.data)).toEqual([0, 0, 1]);
    expect(joined.map(({ owner, rows }) => [owner, rows])).toEqual([
      ['p', 0],
      ['q', 0],
      ['r', 1],
    ]);
  });

  it('says that it has no votes when one owner withholds them', () => {
    const join = new BundleJoin(engine, { expected: 2, votes: true });
    const { probabilities: _, classes: __, ...silent } = toyBundle(1);
    join.add(toyBundle(0), '');
    join.add(silent, '');
    expect(join.finish().votes).toBeUndefined();
  });
});

describe('a join refuses', () => {
  const join = () => new BundleJoin(engine, { owners: [{ owner: 'x', width: 2 }, { owner: 'y' }] });

  it('an owner the model does not know, an owner twice, another width', () => {
    const known = join();
    expect(() => known.add(bundle('z', ['a'], [1]), '')).toThrow(
      'bundle z: must be of an owner of the model (x, y), got z',
    );
    expect(() => known.add(bundle('x', ['a'], [1]), '')).toThrow(
      'bundle x: embedding width must be 2 as in the model, got 1',
    );
    known.add(bundle('y', ['a'], [1]), '');
    expect(() => known.add(bundle('y', ['a'], [1]), '')).toThrow(
      'bundle y: an owner may send one bundle, got a second of y',
    );
  });

  it('more bundles than it was told to expect', () => {
    const join = new BundleJoin(engine, { expected: 1 });
    join.add(bundle('x', ['a'], [1]), '');
    expect(() => join.add(bundle('y', ['a'], [1]), '')).toThrow(
      'bundle y: must be among the 1 that are expected (option expected), got number 2',
    );
    const untold = new BundleJoin(engine, { samples: ['a'] });
    expect(() => untold.add(bundle('x', ['a'], [1]), '')).toThrow('must be among the 0 that are expected');
  });

  it('ids of two types, and votes over different classes', () => {
    const mixed = new BundleJoin(engine, { expected: 2, votes: true });
    mixed.add(toyBundle(0), '');
    expect(() => mixed.add(bundle('x', ['7'], [1], { sampleType: 'integer' }), '')).toThrow(
      'bundle x: sample ids must be of one type in all bundles, got text from owner-0, integer from x',
    );
    expect(() => mixed.add(toyBundle(1, { classes: ['a', 'b', 'c'] }), '')).toThrow(
      'bundle owner-1: probabilities must be over 2 classes as in the other bundles, got 3',
    );
  });
});
