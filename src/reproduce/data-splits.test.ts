// Splits are the same on every machine, keep the proportions, and owners that train under one never see its test part.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openDataset } from '../data/dataset/dataset.ts';
import { writeDataset } from '../data/dataset/dataset-writer.ts';
import { PARTS } from '../exchange/labels/sample-parts.ts';
import { findSplit, namedSplit, SPLIT_NAMES } from './data-splits.ts';

const samples = Array.from({ length: 2856 }, (_, i) => `s${String(i).padStart(4, '0')}`);
const others = SPLIT_NAMES.filter((name) => name !== 'fixed');

describe('namedSplit', () => {
  it('keeps 70, 10 and 20 %, every sample in one part', () => {
    for (const name of others) {
      const split = namedSplit(name, samples);
      expect(PARTS.map((part) => split[part].length)).toEqual([1999, 285, 572]);
      expect(new Set(PARTS.flatMap((part) => split[part])).size).toBe(2856);
    }
  });

  it('tests on the last samples under time', () => {
    const { train, validation, test } = namedSplit('time', samples);
    expect([train.at(0), validation.at(0), test.at(0), test.at(-1)]).toEqual(['s0000', 's1999', 's2284', 's2855']);
  });

  it('draws the same samples on every machine, others under another name', () => {
    const first = (name: (typeof others)[number]) => namedSplit(name, samples).test.slice(0, 4);
    expect(first('random-11')).toMatchInlineSnapshot(`
      [
        "s0000",
        "s0002",
        "s0003",
        "s0013",
      ]
    `);
    expect(first('random-12')).not.toEqual(first('random-11'));
    expect(first('random-13')).not.toEqual(first('random-12'));
  });
});

describe('findSplit', () => {
  it('tells owners the parts of the split, and keeps windows and labels', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'f3-splits-'));
    try {
      const dir = join(folder, 'small');
      const ids = samples.slice(0, 20);
      const windows = Float32Array.from({ length: 20 * 3 }, (_, i) => i / 7);
      await writeDataset(dir, { name: 'small', classes: ['a', 'b'], simulated: true, source: {} }, async (writer) => {
        await writer.addOwner({ id: 'one', length: 3, variates: ['x'], rate: '1 Hz', samples: ids, windows });
        writer.setLabels(
          ids,
          Int32Array.from(ids, (_, i) => i % 2),
        );
        writer.setSplit(namedSplit('random-11', ids));
      });
      const found = { name: 'pmu-b', dir, simulated: true, isGenuine: true, isPaperData: false, remarks: [] } as const;
      const context = { progress: () => undefined };
      expect(await findSplit({ ...found, remarks: [] }, 'fixed', context)).toMatchObject({ dir });
      const cut = await findSplit({ ...found, remarks: [] }, 'time', context);
      const [before, after] = [await openDataset(dir), await openDataset(cut.dir)];
      const [owner, same] = [await before.owner('one'), await after.owner('one')];
      expect(same.windows).toEqual(owner.windows);
      expect(same.labels).toEqual(owner.labels);
      expect(after.split).toEqual(namedSplit('time', ids));
      expect(same.parts?.map((part, i) => (part === 'test' ? ids[i] : ''))).toEqual(
        ids.map((id) => (after.split.test.includes(id) ? id : '')),
      );
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});
