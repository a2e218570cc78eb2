import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { temporaryDirectory } from '../../test/support/temporary-directory.ts';
import { TOY_OWNERS, toyDataset } from '../../test/support/toy-dataset.ts';
import { Engine } from '../core/engine/engine.ts';
import { decodeSafetensors } from '../core/safetensors.ts';
import { embedOwner } from './embed-owner.ts';
import { labelLosses } from './label-losses.ts';
import { LOCAL_MODEL_KINDS } from './local-model.ts';
import type { OwnerTrainingOptions } from './owner-model.ts';
import { paperOwnerPreset } from './owner-preset.ts';
import { trainAllOwners } from './train-all-owners.ts';
import { type BestBy, predictLocal, trainLocalModel } from './train-local-model.ts';
import { prepare, readLabelledOwner, trainCommonModel, trainOwner } from './train-owner.ts';

const engine = new Engine({ threads: 1 });
afterAll(() => engine.dispose());

const quick: OwnerTrainingOptions = {
  ...paperOwnerPreset,
  width: 6,
  learningRate: 0.02,
  batch: 16,
  epochs: 25,
  seed: 5,
};
const folder = (dir: string, id: string) => join(dir, 'owners', id);
const weights = (dir: string, id: string) => readFileSync(join(folder(dir, id), 'model.safetensors'));

describe('an owner', () => {
  it.each(LOCAL_MODEL_KINDS)('learns from its own folder with %s', async (model) => {
    const dir = await toyDataset(temporaryDirectory());
    for (const other of ['north', 'south']) rmSync(folder(dir, other), { recursive: true });
    rmSync(join(dir, 'labels.arrow'));
    const { card, trained } = await trainOwner(engine, folder(dir, 'east'), { ...quick, model });
    expect(trained).toBe(true);
    expect(card.scores.validationAccuracy).toBeGreaterThan(0.8);
    expect(card).toMatchObject({ owner: 'east', classes: ['drift', 'swing'], length: 8, variates: ['a', 'b'] });
  });

  it('is kept when trained already, and trained again for other options, other data or when forced', async () => {
    const dir = await toyDataset(temporaryDirectory());
    const train = (change: object = {}, how: object = {}) =>
      trainOwner(engine, folder(dir, 'east'), { ...quick, epochs: 2, ...change }, how);
    expect((await train()).trained).toBe(true);
    expect((await train()).trained).toBe(false);
    expect((await train({ width: 7 })).trained).toBe(true);
    expect((await train({ width: 7 }, { force: true })).trained).toBe(true);
    const other = await toyDataset(temporaryDirectory(), 80);
    writeFileSync(
      join(folder(dir, 'east'), 'windows.arrow'),
      readFileSync(join(folder(other, 'east'), 'windows.arrow')),
    );
    writeFileSync(join(folder(dir, 'east'), 'labels.arrow'), readFileSync(join(folder(other, 'east'), 'labels.arrow')));
    expect((await train({ width: 7 })).trained).toBe(true);
  });

  it('says what is missing when it has no labels, or no model to embed with', async () => {
    const dir = await toyDataset(temporaryDirectory());
    await expect(embedOwner(engine, folder(dir, 'north'))).rejects.toThrow('owner north: must be trained first');
    rmSync(join(folder(dir, 'north'), 'labels.arrow'));
    await expect(trainOwner(engine, folder(dir, 'north'), quick)).rejects.toThrow(
      'owner north: labels.arrow must lie in',
    );
  });

  it('keeps a tied head as it was drawn, the same for every owner', async () => {
    const dir = await toyDataset(temporaryDirectory());
    for (const id of TOY_OWNERS) await trainOwner(engine, folder(dir, id), { ...quick, epochs: 2, tiedHead: 9 });
    const heads = TOY_OWNERS.map((id) => decodeSafetensors(weights(dir, id)).tensors['head.weight'].values);
    expect(heads[1]).toEqual(heads[0]);
    expect(heads[2]).toEqual(heads[0]);
    const bodies = TOY_OWNERS.map((id) => decodeSafetensors(weights(dir, id)).tensors.weight_hh.values);
    expect(bodies[1]).not.toEqual(bodies[0]);
  });

  it('normalises with its own training windows and embeds with the same numbers', async () => {
    const dir = await toyDataset(temporaryDirectory());
    const { card } = await trainOwner(engine, folder(dir, 'south'), { ...quick, normalisation: 'z-score' });
    expect(card.normalisation?.mean).toHaveLength(2);
    expect(card.scores.validationAccuracy).toBeGreaterThan(0.8);
    const embedded = await embedOwner(engine, folder(dir, 'south'));
    expect(embedded.embeddings).toHaveLength(embedded.samples.length * 6);
    expect(embedded.model).toBe(card.weights);
    for (let at = 0; at < embedded.probabilities.length; at += 2) {
      expect(embedded.probabilities[at] + embedded.probabilities[at + 1]).toBeCloseTo(1, 6);
    }
  });

  it('keeps the epoch of the lowest validation loss, and stops by it, where the loss is to decide', async () => {
    const dir = await toyDataset(temporaryDirectory());
    const owner = await readLabelledOwner(folder(dir, 'south'));
    // Every third label of the validation part is wrong: the surer the model gets, the larger is its loss, at the same accuracy.
    for (const [i, row] of owner.rows.validation.entries()) if (i % 3 === 0) owner.labels[row] = 1 - owner.labels[row];
    const truth = Int32Array.from(owner.rows.validation, (row) => owner.labels[row]);
    const train = (bestBy?: BestBy) => {
      const options = { ...quick, bestBy, patience: 4 };
      const { model, data } = prepare(engine, owner, options, 1);
      const lossNow = () => {
        const { logits } = predictLocal(engine, model, data.windows, data.validation);
        return labelLosses(logits, truth).reduce((sum, loss) => sum + loss, 0);
      };
      const losses: number[] = [];
      const fit = trainLocalModel(engine, model, data, options, () => losses.push(lossNow()));
      const kept = lossNow();
      model.dispose();
      engine.free(data.windows);
      return { fit, losses, kept };
    };
    const { fit, losses, kept } = train('loss');
    expect(kept).toBe(Math.min(...losses));
    expect(fit.bestEpoch).toBe(losses.lastIndexOf(kept) + 1);
    // The weights of every epoch are the same; only how many there are and which is kept differs.
    const byAccuracy = train();
    expect(byAccuracy.fit).toEqual(train('accuracy').fit);
    expect(fit.epochs).toBeLessThan(byAccuracy.fit.epochs);
    expect(byAccuracy.losses.slice(0, fit.epochs)).toEqual(losses);
    await expect(trainOwner(engine, folder(dir, 'south'), { ...quick, bestBy: 'luck' as 'loss' })).rejects.toThrow(
      'best epoch by: must be accuracy or loss, got luck',
    );
  });

  it('learns to let a window be read back, says so in its card, and keeps no decoder', async () => {
    const dir = await toyDataset(temporaryDirectory());
    const change = { ...quick, normalisation: 'z-score', objective: 'label+reconstruction' } as const;
    const { card } = await trainOwner(engine, folder(dir, 'south'), change);
    expect(card.options.objective).toBe('label+reconstruction');
    expect(card.scores.validationAccuracy).toBeGreaterThan(0.8);
    const { card: heavy } = await trainOwner(engine, folder(dir, 'south'), { ...change, reconstructionWeight: 20 });
    expect(heavy.scores.reconstructionError).toBeLessThan(card.scores.reconstructionError ?? 0);
    expect(card.scores.reconstructionError).toBeLessThan(1);
    const { tensors } = decodeSafetensors(weights(dir, 'south'));
    const plain = await trainOwner(engine, folder(dir, 'north'), { ...quick, epochs: 1 });
    expect(plain.card.scores.reconstructionError).toBeUndefined();
    expect(Object.keys(tensors)).toEqual(Object.keys(decodeSafetensors(weights(dir, 'north')).tensors));
  });

  it('reads back z-scored windows only, with a weight above 0', async () => {
    const dir = await toyDataset(temporaryDirectory());
    const train = (change: Partial<OwnerTrainingOptions>) =>
      trainOwner(engine, folder(dir, 'south'), { ...quick, normalisation: 'z-score', ...change });
    const objective = 'label+reconstruction';
    await expect(train({ objective, normalisation: 'none' })).rejects.toThrow(
      'objective label+reconstruction: inputs must be z-scored, got normalisation none',
    );
    await expect(train({ objective, reconstructionWeight: 0 })).rejects.toThrow('must be above 0, got 0');
    await expect(train({ reconstructionWeight: 1 })).rejects.toThrow('must be left out when nothing is reconstructed');
  });

  it.each([
    [
      'the label alone',
      { learningRate: 1e30 },
      'owner east: local training: an epoch must have a finite loss, got none; try a learning rate below 1e+30',
    ],
    ['a shield', { shield: { kind: 'distance-correlation', weight: 1e39 } }, 'got none under the shield; try a shield'],
  ] as const)('writes no model and no card where no loss under %s is finite', async (_, change, message) => {
    const dir = await toyDataset(temporaryDirectory());
    const refused = trainOwner(engine, folder(dir, 'east'), {
      ...quick,
      epochs: 3,
      bestBy: 'loss',
      normalisation: 'z-score',
      ...change,
    });
    await expect(refused).rejects.toMatchObject({
      code: 'F3_FUSE_DIVERGED',
      message: expect.stringContaining(message),
    });
    expect(existsSync(join(folder(dir, 'east'), 'model.json'))).toBe(false);
  });

  it('trains again where the weights are not those of the card, as two trainings at once may leave them', async () => {
    const dir = await toyDataset(temporaryDirectory());
    const [options, file] = [{ ...quick, epochs: 1 }, join(folder(dir, 'east'), 'model.safetensors')];
    await trainOwner(engine, folder(dir, 'east'), options);
    const whole = weights(dir, 'east');
    for (const spoil of [() => writeFileSync(file, whole.subarray(1)), () => rmSync(file)]) {
      spoil();
      expect((await trainOwner(engine, folder(dir, 'east'), options)).trained).toBe(true);
      expect(weights(dir, 'east')).toEqual(whole);
    }
    expect((await trainOwner(engine, folder(dir, 'east'), options)).trained).toBe(false);
  });

  it('says that the model cannot be written, and leaves nothing half written beside it', async () => {
    const dir = await toyDataset(temporaryDirectory());
    mkdirSync(join(folder(dir, 'east'), 'model.safetensors', 'in the way'), { recursive: true });
    const before = readdirSync(folder(dir, 'east'));
    const refused = { code: 'F3_OUTPUT', message: expect.stringContaining('model.safetensors: must be writable') };
    await expect(trainOwner(engine, folder(dir, 'east'), { ...quick, epochs: 1 })).rejects.toMatchObject(refused);
    expect(readdirSync(folder(dir, 'east'))).toEqual(before);
  });

  it('refuses weights that are not those of the card', async () => {
    const dir = await toyDataset(temporaryDirectory());
    await trainOwner(engine, folder(dir, 'east'), { ...quick, epochs: 1 });
    const changed = weights(dir, 'east');
    changed[changed.length - 1] ^= 1;
    writeFileSync(join(folder(dir, 'east'), 'model.safetensors'), changed);
    await expect(embedOwner(engine, folder(dir, 'east'))).rejects.toThrow("SHA-256 must be the card's");
  });
});

describe('all owners', () => {
  it('side by side get the bits that each gets alone, and finished ones are kept', async () => {
    const [together, alone] = [await toyDataset(temporaryDirectory()), await toyDataset(temporaryDirectory())];
    const seen: number[] = [];
    const run = { options: quick, threads: 2, onProgress: ({ done }: { done: number }) => void seen.push(done) };
    const folders = TOY_OWNERS.map((id) => folder(together, id));
    const cards = await trainAllOwners(folders, run);
    expect(cards.map((card) => card.owner)).toEqual(TOY_OWNERS);
    expect(Math.max(...seen)).toBe(3);
    for (const id of TOY_OWNERS) {
      await trainOwner(engine, folder(alone, id), quick);
      expect(weights(together, id).equals(weights(alone, id))).toBe(true);
    }
    const again = await trainAllOwners(folders, run);
    expect(again).toEqual(cards);
  });

  it('fail with the message and code of the owner that failed', async () => {
    const dir = await toyDataset(temporaryDirectory());
    writeFileSync(join(folder(dir, 'south'), 'windows.arrow'), 'no arrow');
    const folders = TOY_OWNERS.map((id) => folder(dir, id));
    const failure = trainAllOwners(folders, { options: { ...quick, epochs: 1 }, threads: 2 });
    await expect(failure).rejects.toMatchObject({ code: 'F3_DATA_UNREADABLE' });
  });

  it('end at once when they are interrupted, and owners that were finished stay so', async () => {
    const dir = await toyDataset(temporaryDirectory());
    const folders = TOY_OWNERS.map((id) => folder(dir, id));
    const controller = new AbortController();
    const onProgress = ({ done }: { done: number }) => done === 1 && controller.abort(new Error('interrupted'));
    const run = { options: quick, threads: 1, signal: controller.signal, onProgress };
    await expect(trainAllOwners(folders, run)).rejects.toThrow('interrupted');
    expect(folders.map((path) => existsSync(join(path, 'model.safetensors')))).toEqual([true, false, false]);
    await expect(trainAllOwners(folders, run)).rejects.toThrow('interrupted');
  });

  it('can share one model trained over their data in turn', async () => {
    const dir = await toyDataset(temporaryDirectory());
    const cards = await trainCommonModel(
      engine,
      TOY_OWNERS.map((id) => folder(dir, id)),
      quick,
    );
    expect(cards.every((card) => card.common)).toBe(true);
    const [north, south] = ['north', 'south'].map((id) => decodeSafetensors(weights(dir, id)).tensors);
    expect(south).toEqual(north);
  });
});
