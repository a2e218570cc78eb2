import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { temporaryDirectory } from '../../../test/support/temporary-directory.ts';
import type { Bundle } from '../../exchange/bundle/bundle.ts';
import { CodingShelf, codedEmbedding } from './coding-shelf.ts';

const bundleOf = (values: number[], model?: string): Bundle => ({
  owner: 'plant',
  samples: values.map((_, i) => `s${i}`),
  sampleType: 'text',
  width: 1,
  embeddings: Float32Array.from(values),
  ...(model !== undefined && { model }),
});

describe('codings that an owner keeps', () => {
  it('are made once per model, width and bins, and used for what comes later', () => {
    const folder = temporaryDirectory();
    const shelf = new CodingShelf(folder);
    expect(shelf.bins).toBeUndefined();
    const first = shelf.code(bundleOf([0, 1, 2, 3], 'm1'), { bins: 2 });
    expect(first).toMatchObject({ isNew: true, bundle: { width: 2 }, stated: { encoding: 'quantiles', bins: 2 } });
    expect(new CodingShelf(folder).bins).toBe(2);
    const later = new CodingShelf(folder).code(bundleOf([10, 11, 12], 'm1'), { bins: 2 });
    expect(later).toMatchObject({ isNew: false, stated: first.stated });
    expect([...codedEmbedding(Float32Array.of(2), new CodingShelf(folder).used('m1'), 'plant')]).toEqual([
      ...first.bundle.embeddings.slice(4, 6),
    ]);
    for (const other of [
      shelf.code(bundleOf([0, 1, 2], 'm2'), { bins: 2 }),
      shelf.code(bundleOf([0, 1, 2], 'm1'), { bins: 3 }),
      shelf.code(bundleOf([0, 1, 2], 'm1'), { bins: 2, anew: true }),
    ]) {
      expect(other.isNew).toBe(true);
      expect(other.stated.id).not.toBe(first.stated.id);
    }
    const again = shelf.code(bundleOf([0, 1, 2], 'm1'), { bins: 2, anew: true });
    expect(again.isNew).toBe(false); // quantiles came out as before
  });

  it('take quantiles of the training part, and go back to what was used last', () => {
    const shelf = new CodingShelf(temporaryDirectory());
    const { coding } = shelf.code(bundleOf([0, 1, 2, 900], 'm'), { bins: 2, training: ['s0', 's1', 's2'] });
    expect(coding.edges).toEqual([0, 1, 2]);
    shelf.code(bundleOf([0, 1, 2, 3], 'm'), { bins: 4 });
    expect(shelf.used('m').bins).toBe(4);
    shelf.code(bundleOf([0, 1, 2, 3], 'm'), { bins: 2 });
    expect(shelf.used('m')).toEqual(coding);
    expect(() => shelf.used('another model')).toThrow(expect.objectContaining({ code: 'F3_HOME' }));
    shelf.choose(undefined);
    expect(shelf.bins).toBeUndefined();
  });

  it('are named so that nobody who guesses them can tell: the same bins have another id each time', () => {
    const ids = [1, 2].map(
      () => new CodingShelf(temporaryDirectory()).code(bundleOf([0, 1], 'm'), { bins: 2 }).stated.id,
    );
    expect(ids[0]).not.toBe(ids[1]);
  });

  it('are refused when their file is of another version, was changed, or is something else', () => {
    const folder = temporaryDirectory();
    const file = join(folder, 'codes.json');
    new CodingShelf(folder).code(bundleOf([0, 1, 2], 'm'), { bins: 2 });
    const text = readFileSync(file, 'utf8');
    for (const [changed, found] of [
      [text.replace('f3-codes-1', 'f3-codes-2'), 'f3-codes-2'],
      [text.replace('[0,1,2]', '[0,1]'), 'something else'],
      ['{', 'something else'],
    ]) {
      writeFileSync(file, changed);
      expect(() => new CodingShelf(folder).bins).toThrow(`must hold codes as f3-codes-1, got ${found}`);
    }
  });
});
