import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import fixture from '../../../test/fixtures/onnx/expected.json' with { type: 'json' };
import { temporaryDirectory } from '../../../test/support/temporary-directory.ts';
import { Engine } from '../../core/engine/engine.ts';
import { RandomStream } from '../../core/random.ts';
import { writeDataset } from '../../data/dataset/dataset-writer.ts';
import { auditOwner } from './audit-owner.ts';
import { verdictOf } from './verdict.ts';

const engine = new Engine({ threads: 1 });
afterAll(() => engine.dispose());

it('audits a model trained elsewhere, and says that there is no bound without its gradients', async () => {
  const dir = join(temporaryDirectory(), 'plant');
  const random = new RandomStream(1, 0);
  const samples = Array.from({ length: 60 }, (_, i) => `s${i}`);
  const size = fixture.length * fixture.variates;
  const windows = Float32Array.from({ length: 60 * size }, () => random.normal());
  const about = { name: 'plant', classes: ['a', 'b', 'c'], simulated: true, source: {} };
  await writeDataset(dir, about, async (writer) => {
    const shape = { length: fixture.length, variates: ['v', 'i'], rate: '30 Hz' };
    await writer.addOwner({ id: 'plant-7', ...shape, samples, windows });
    writer.setLabels(
      samples,
      Int32Array.from(samples, (_, i) => i % 3),
    );
    writer.setSplit({ train: samples.slice(0, 20), validation: samples.slice(20, 30), test: samples.slice(30) });
  });
  const file = join(import.meta.dirname, '../../../test/fixtures/onnx/lstm.onnx');
  const audit = await auditOwner(engine, join(dir, 'owners', 'plant-7'), { onnx: { file, names: {} } });
  expect(audit).toMatchObject({ owner: 'plant-7', width: fixture.width, objective: 'not stated', samples: 60 });
  expect(audit).not.toHaveProperty('bound');
  expect(audit.model).toMatch(/^[0-9a-f]{64}$/);
  expect(verdictOf(audit).join(' ')).toContain('no bound for every attacker');
});
