import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { suiteDirectory } from '../../../test/support/temporary-directory.ts';
import { writeNpy } from '../../../test/support/write-npy.ts';
import { Engine } from '../../core/engine/engine.ts';
import { RandomStream } from '../../core/random.ts';
import type { Bundle } from '../../exchange/bundle/bundle.ts';
import { auditBundle } from './audit-bundle.ts';
import { findAudit, keepAudit } from './kept-audits.ts';
import { requireRecovery } from './recovery-limit.ts';
import { verdictOf } from './verdict.ts';
import type { WindowFile } from './window-files.ts';

const engine = new Engine({ threads: 1 });
afterAll(() => engine.dispose());

describe('the audit of a bundle that another program made', () => {
  const dir = suiteDirectory();
  const file = (name: string) => join(dir, name);
  const [COUNT, TIME, VARIATES] = [60, 3, 2];
  const size = TIME * VARIATES;
  const random = new RandomStream(3, 0);
  const samples = Array.from({ length: COUNT }, (_, i) => `s${i}`);
  const windows = Float32Array.from({ length: COUNT * size }, () => random.normal());
  const bundle: Bundle = {
    owner: 'plant-7',
    samples,
    sampleType: 'text',
    width: size,
    embeddings: windows.map((value) => 2 * value),
    model: 'a network of ours',
  };
  const npy = (values: Float32Array, rows = COUNT) =>
    writeNpy({ descr: '<f4', shape: [rows, TIME, VARIATES], data: values });

  beforeAll(() => {
    writeFileSync(file('windows.npy'), npy(windows));
    const turned = samples.map((_, i) => [...windows.subarray((COUNT - 1 - i) * size, (COUNT - i) * size)]);
    writeFileSync(file('turned.npy'), npy(Float32Array.from(turned.flat())));
    writeFileSync(file('turned.txt'), `${samples.toReversed().join('\n')}\n`);
    const lines = samples.map((sample, i) => [sample, ...windows.subarray(i * size, (i + 1) * size)].join());
    writeFileSync(file('windows.csv'), `sample,a1,b1,a2,b2,a3,b3\n${lines.join('\n')}\n`);
    writeFileSync(file('few.npy'), npy(windows.subarray(0, 50 * size), 50));
    writeFileSync(file('few.txt'), `${samples.slice(0, 50).join('\n')}\n`);
  });

  it('finds the same in an array, in an array of another order and in a table, and push finds it by the embeddings', async () => {
    const audit = await auditBundle(engine, bundle, { file: file('windows.npy') });
    expect(audit).toMatchObject({ owner: 'plant-7', samples: COUNT, windowNumbers: size, objective: 'not stated' });
    expect(audit.worst).toBeGreaterThan(0.95);
    const turned = await auditBundle(engine, bundle, { file: file('turned.npy'), ids: file('turned.txt') });
    expect(turned.recoveries).toEqual(audit.recoveries);
    const table = await auditBundle(engine, bundle, { file: file('windows.csv'), variates: VARIATES });
    expect(table.recoveries).toEqual(audit.recoveries);
    keepAudit(dir, audit);
    expect(findAudit(dir, bundle)?.worst).toBe(audit.worst);
    expect(findAudit(dir, { ...bundle, embeddings: windows })).toBeUndefined();
    expect(findAudit(dir, bundle, { clip: 1, noise: 1 })).toBeUndefined();
  });

  const refused: [string, Omit<WindowFile, 'file'>, string][] = [
    ['few.npy', {}, 'must have one window per sample of the bundle, in its order, unless ids are given (60), got 50'],
    ['few.npy', { ids: 'few.txt' }, "each of the bundle's 60 samples, got none for 10 of them, such as s50"],
    ['windows.csv', { variates: 4 }, 'can be divided by 4 variates, got 6'],
    ['windows.csv', { idColumn: 'hour' }, 'columns must be among sample'],
    ['none.npy', {}, 'must be readable, got no such file'],
  ];
  it.each(refused)('refuses %s with %j in words', async (name, { ids, ...rest }, message) => {
    const source = { file: file(name), ids: ids && file(ids), ...rest };
    await expect(auditBundle(engine, bundle, source)).rejects.toThrow(message);
  });

  it('says that nothing was measured where windows never change', async () => {
    writeFileSync(file('flat.npy'), npy(windows.map(() => 0.1)));
    const audit = await auditBundle(engine, bundle, { file: file('flat.npy') });
    expect(audit.worst).toBe(0);
    expect(verdictOf(audit)).toEqual([expect.stringContaining('nothing to recover')]);
    const gate = () => requireRecovery('plant-7', 0.5, audit);
    expect(gate).toThrow(
      expect.objectContaining({ code: 'F3_LEAK_LIMIT', message: expect.stringContaining('nothing') }),
    );
  });
});
