// The library as a program uses it: only the public entry is imported.
import { existsSync, mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type FuseProgress, type FuseRequest, fuse, loadModel, type PlainBundle } from '../src/index.ts';
import { ServedModel } from '../src/infer/index.ts';
import { temporaryDirectory } from './support/temporary-directory.ts';
import { toyBundle, toyId, toyLabels } from './support/toy-bundles.ts';

const [OWNERS, SAMPLES] = [5, 160];
const samples = Array.from({ length: SAMPLES }, (_, s) => toyId(s));
const CLASSES = ['calm', 'storm'];
const numbers = toyLabels(SAMPLES, 2, 1);
const labels = Object.fromEntries(samples.map((sample, s) => [sample, CLASSES[numbers[s]]]));

/** One owner's embeddings as rows of plain numbers. */
function plain(owner: number, seed?: number): PlainBundle {
  const { owner: id, embeddings, width, probabilities } = toyBundle(owner, { samples: SAMPLES, ...(seed && { seed }) });
  const rows = (values: Float32Array, columns: number) =>
    samples.map((_, s) => Array.from(values.subarray(s * columns, (s + 1) * columns)));
  return { owner: id, samples, embeddings: rows(embeddings, width), probabilities: rows(probabilities!, 2) };
}
const bundles = Array.from({ length: OWNERS }, (_, owner) => plain(owner));
const request: FuseRequest = { bundles, labels, split: 1, config: { epochs: 8, hidden: 4 }, threads: 1 };

describe('the façade', () => {
  it('fuses arrays, predicts with some owners absent, and gives its memory back', async () => {
    await using model = await fuse(request);
    expect(model.facts.test.auc).toBeGreaterThan(0.7);
    expect(model.facts.config.ownerDropout).toBe(0.5);
    const predictions = await model.predict(bundles, { without: ['owner-1'] });
    expect(predictions.length).toBe(SAMPLES);
    const [first] = predictions;
    expect(first).toMatchObject({ sample: samples[0], owners: OWNERS - 1 });
    expect(first.probabilities.calm + first.probabilities.storm).toBeCloseTo(1, 6);
    expect(first.class).toBe(first.probabilities.storm > 0.5 ? 'storm' : 'calm');
    await model.dispose();
    await expect(model.predict(bundles)).rejects.toMatchObject({ code: 'F3_DISPOSED' });
  });

  it('refuses in words what JavaScript lets pass and types do not', async () => {
    const wrong = (change: object) => fuse({ ...request, ...change });
    await expect(wrong({ split: undefined })).rejects.toMatchObject({ code: 'F3_FUSE_SPLIT' });
    await expect(wrong({ labels: undefined })).rejects.toMatchObject({ code: 'F3_LABELS' });
    await expect(wrong({ bundles: undefined })).rejects.toMatchObject({ code: 'F3_BUNDLE_FORMAT' });
    await expect(wrong({ without: 'owner-1' })).rejects.toMatchObject({ code: 'F3_ARGUMENT' });
    await expect(loadModel(undefined as never)).rejects.toMatchObject({ code: 'F3_MODEL_FORMAT' });
  });

  it('refuses fields that nobody would read, in a request and in what is asked of a model', async () => {
    const refusal = (message: string) => expect.objectContaining({ code: 'F3_ARGUMENT', message });
    const wrong = (change: object) => fuse({ ...request, ...change });
    await expect((fuse as () => unknown)()).rejects.toEqual(refusal('request: must be an object, got undefined'));
    await expect(wrong({ epochs: 3 })).rejects.toEqual(refusal(expect.stringMatching(/^request: .*; got epochs$/)));
    await expect(wrong({ ensemble: true })).rejects.toEqual(refusal('ensemble: must be an object, got true'));
    await expect(wrong({ ensemble: { fit: 2 } })).rejects.toThrow(/^ensemble: .*; got fit$/);
    await expect(wrong({ checkpoint: { dir: 'state' } })).rejects.toThrow(/^checkpoint: .*; got dir$/);
    const auto = { config: { preset: 'auto' }, budget: { fit: 2 } };
    await expect(wrong(auto)).rejects.toThrow('budget: fields must be among fits, minutes; got fit');
    await using model = await wrong({ config: { method: 'average' }, resume: undefined });
    const data = { bundles, labels };
    const stray = { whitout: ['owner-1'] } as object;
    await expect(model.predict(bundles, stray)).rejects.toThrow(/^options: .*; got whitout$/);
    await expect(model.evaluate(data, stray)).rejects.toThrow(/^options: .*; got whitout$/);
    await expect(model.evaluate({ ...data, ...stray })).rejects.toThrow(/^data: .*; got whitout$/);
    await expect(model.evaluate(data, { absence: { share: [0] } as object })).rejects.toThrow(
      /^absence: .*; got share$/,
    );
    await expect(model.explain(data, stray)).rejects.toThrow(/^options: .*; got whitout$/);
    const wider = { config: { hidden: 4 } as object };
    await expect(model.refit('owner-1', data, wider)).rejects.toThrow(/^config: .*; got hidden$/);
    await expect(model.save('model', { force: true } as object)).rejects.toThrow('among overwrite; got force');
    await expect(loadModel('model', { thread: 1 } as object)).rejects.toThrow('among threads; got thread');
  });

  it('fuses without owners who will be away as if they had sent nothing, and refuses a name that nobody has', async () => {
    const kept = bundles.filter(({ owner }) => owner !== 'owner-1');
    const edges = [
      { from: 'owner-0', to: 'owner-2' },
      { from: 'owner-1', to: 'owner-3' },
    ];
    const given = { ...request, config: { ...request.config, preset: 'graph' as const, graph: 'given' as const } };
    await using model = await fuse({ ...given, graph: edges, without: ['owner-1'] });
    await using same = await fuse({ ...given, graph: edges.slice(0, 1), bundles: kept });
    expect(model.facts.owners.map(({ owner }) => owner)).toEqual(kept.map(({ owner }) => owner));
    expect(model.encode().weights).toEqual(same.encode().weights);
    await expect(model.predict(bundles)).rejects.toMatchObject({ code: 'F3_FUSE_OWNER' });
    const left = await model.predict(bundles, { without: ['owner-1'] });
    expect(left.probabilities).toEqual((await model.predict(kept)).probabilities);
    for (const without of [['owner-9'], bundles.map(({ owner }) => owner)]) {
      await expect(fuse({ ...request, without })).rejects.toMatchObject({ code: 'F3_FUSE_OWNER' });
    }
    await expect(model.predict(kept, { without: ['owner-9'] })).rejects.toThrow('got owner-9');
    await expect(model.predict(kept, { without: [''] })).rejects.toThrow('got an empty name');
    const changed = bundles.map((bundle, owner) => (owner === 2 ? plain(2, 9) : bundle));
    await using refitted = await model.refit(
      'owner-2',
      { bundles: changed, labels },
      { config: { epochs: 2 }, without: ['owner-1'] },
    );
    expect(refitted.facts.owners).toHaveLength(4);
  });

  it('saves a model that answers the same when loaded, from its folder or from bytes', async () => {
    const dir = join(temporaryDirectory(), 'model');
    await using model = await fuse(request);
    await model.save(dir);
    await expect(model.save(dir)).rejects.toMatchObject({ code: 'F3_MODEL_EXISTS' });
    await using loaded = await loadModel(dir, { threads: 2 });
    await using decoded = await loadModel(model.encode(), { threads: 1 });
    const expected = (await model.predict(bundles)).probabilities;
    expect((await loaded.predict(bundles)).probabilities).toEqual(expected);
    expect((await decoded.predict(bundles)).probabilities).toEqual(expected);
  });

  it('evaluates and explains', async () => {
    await using model = await fuse({ ...request, config: { ...request.config, preset: 'graph' } });
    const evaluation = await model.evaluate(
      { bundles, labels, split: 1 },
      { absence: { shares: [0, 0.4], repeats: 2 } },
    );
    expect(evaluation.test).toEqual(model.facts.test);
    expect(evaluation.validation).toEqual(model.facts.validation);
    expect(evaluation.confusion.flat().reduce((sum, count) => sum + count, 0)).toBe(model.facts.samples.test);
    expect(evaluation.absence).toHaveLength(2);
    const { edges, alignments, absence } = await model.explain({ bundles, labels, split: 1 });
    expect(edges).toHaveLength((OWNERS * (OWNERS - 1)) / 2);
    expect(edges[0].probability).toBeGreaterThanOrEqual(edges.at(-1)!.probability);
    expect(alignments.get('owner-2')?.values).toHaveLength(16);
    expect(absence?.map(({ owner }) => owner).sort()).toEqual(bundles.map(({ owner }) => owner));
    expect((await model.explain()).absence).toBeUndefined();
  });

  it('refits one owner under the model’s own split, and refuses another split or the same bundle', async () => {
    await using model = await fuse(request);
    const changed = bundles.map((bundle, owner) => (owner === 1 ? plain(1, 9) : bundle));
    await using refitted = await model.refit('owner-1', { bundles: changed, labels }, { config: { epochs: 3 } });
    expect(refitted.facts).toMatchObject({ refitted: 'owner-1', split: { seed: 1 }, config: { epochs: 3, hidden: 4 } });
    const refit = (data: Partial<FuseRequest>) => model.refit('owner-1', { bundles: changed, labels, ...data });
    await expect(refit({ split: 2 })).rejects.toMatchObject({ code: 'F3_MODEL_REFIT' });
    await expect(refit({ bundles })).rejects.toThrow('must be another than the one the model was made with');
    await expect(model.refit('nobody', { bundles, labels })).rejects.toMatchObject({ code: 'F3_FUSE_OWNER' });
  });

  it('stops at a signal, keeps its checkpoint, and goes on to the same bits', async () => {
    const dir = temporaryDirectory();
    await using whole = await fuse(request);
    const controller = new AbortController();
    const stop = (progress: FuseProgress) => {
      if (progress.stage === 'training' && progress.epoch === 3) controller.abort(new Error('enough'));
    };
    const checkpoint = { folder: join(dir, 'checkpoint'), seconds: 0 };
    await expect(fuse({ ...request, checkpoint, signal: controller.signal, onProgress: stop })).rejects.toThrow(
      'enough',
    );
    expect(readdirSync(checkpoint.folder)).toHaveLength(1);
    const epochs: number[] = [];
    await using resumed = await fuse({
      ...request,
      checkpoint: { ...checkpoint, resume: true },
      onProgress: (progress) => progress.stage === 'training' && epochs.push(progress.epoch),
    });
    expect(epochs[0]).toBeGreaterThan(3);
    expect(resumed.encode().weights).toEqual(whole.encode().weights);
    await resumed.save(join(dir, 'model'));
    expect(existsSync(checkpoint.folder)).toBe(false);
  });

  it('goes on with an ensemble that was stopped, repeats no finished member, and comes to the same bits', async () => {
    const dir = temporaryDirectory();
    const several = { ...request, ensemble: { fits: 2, others: [{ method: 'boosting' as const, epochs: 3 }] } };
    await using whole = await fuse(several);
    const controller = new AbortController();
    const stop = (progress: FuseProgress) => {
      if (progress.stage === 'training' && progress.member === 1 && progress.epoch === 3)
        controller.abort(new Error('enough'));
    };
    const checkpoint = { folder: join(dir, 'checkpoint'), seconds: 0 };
    const stopped = fuse({ ...several, checkpoint, signal: controller.signal, onProgress: stop });
    await expect(stopped).rejects.toThrow('enough');
    const steps: [member: number | undefined, epoch: number][] = [];
    await using resumed = await fuse({
      ...several,
      checkpoint: { ...checkpoint, resume: true },
      onProgress: (progress) => progress.stage === 'training' && steps.push([progress.member, progress.epoch]),
    });
    expect(steps[0][0]).toBe(1);
    expect(steps[0][1]).toBeGreaterThan(3);
    expect(resumed.encode().weights).toEqual(whole.encode().weights);
    await resumed.save(join(dir, 'model'));
    expect(existsSync(checkpoint.folder)).toBe(false);
  });

  it('fits several models, also of other methods, and serves them as one with an uncertainty', async () => {
    const ensemble = { fits: 2, others: [{ method: 'boosting' as const, epochs: 5 }] };
    await using model = await fuse({ ...request, config: { epochs: 3, hidden: 4 }, ensemble });
    const { members, mixture } = model.facts.ensemble!;
    expect(members.map(({ config }) => [config.method, config.seed])).toEqual([
      ['consensus', 0],
      ['consensus', 1],
      ['boosting', 0], // once: no seed changes trees that saw everybody
    ]);
    expect(mixture.weights.reduce((sum, weight) => sum + weight, 0)).toBeCloseTo(1, 9);
    const predictions = await model.predict(bundles);
    for (const { uncertainty } of predictions) expect(uncertainty).toBeGreaterThanOrEqual(0);
    expect(Math.max(...predictions.uncertainty!)).toBeGreaterThan(0);
    const dir = join(temporaryDirectory(), 'model');
    await model.save(dir);
    await using loaded = await loadModel(dir, { threads: 1 });
    const again = await loaded.predict(bundles);
    expect(again.probabilities).toEqual(predictions.probabilities);
    expect(again.uncertainty).toEqual(predictions.uncertainty);
    const served = await ServedModel.load(model.encode().card, model.encode().weights);
    const sample = new Map(
      bundles.map(({ owner, embeddings }) => [owner, Float32Array.from((embeddings as number[][])[0])]),
    );
    const answer = await served.predict(sample);
    expect(answer.probabilities[1]).toBeCloseTo(predictions.at(0).probabilities.storm, 5);
    expect(answer.uncertainty).toBeCloseTo(predictions.at(0).uncertainty!, 5);
    await served.dispose();
    await expect(model.refit('owner-1', { bundles, labels })).rejects.toMatchObject({ code: 'F3_MODEL_REFIT' });
    await expect(fuse({ ...request, ensemble: { others: [{ method: 'majority' }] } })).rejects.toThrow('got both');
  });

  it('counts votes and takes a given graph by owner name', async () => {
    await using votes = await fuse({ ...request, config: { method: 'majority' } });
    expect((await votes.predict(bundles)).length).toBe(SAMPLES);
    const graph = [{ from: 'owner-0', to: 'owner-3' }];
    await using given = await fuse({ ...request, config: { graph: 'given', epochs: 2 }, graph });
    expect((await given.explain()).edges).toEqual([{ from: 'owner-0', to: 'owner-3', probability: 1 }]);
  });

  it('with frozen neighbours gives a sample the same answer in any company; with the paper’s it does not', async () => {
    const knn = { graph: 'knn', neighbours: 2, epochs: 4, hidden: 4 } as const;
    const alone = bundles.map(({ owner, samples: ids, embeddings }) => ({
      owner,
      samples: ids.slice(0, 1),
      embeddings: (embeddings as number[][]).slice(0, 1),
    }));
    await using frozen = await fuse({ ...request, config: knn });
    expect((await frozen.predict(alone)).at(0)).toEqual((await frozen.predict(bundles)).at(0));
    await using paper = await fuse({ ...request, config: { preset: 'paper', ...knn } });
    expect((await paper.predict(alone)).at(0)).not.toEqual((await paper.predict(bundles)).at(0));
  });

  const change = (edit: (bundle: PlainBundle) => PlainBundle) => [edit(bundles[0]), ...bundles.slice(1)];
  it.each<[string, Partial<FuseRequest>, string]>([
    ['no bundles', { bundles: [] }, 'F3_BUNDLE_EMPTY'],
    ['fewer rows than samples', { bundles: change((b) => ({ ...b, embeddings: [[1, 2, 3, 4]] })) }, 'F3_BUNDLE_COUNT'],
    [
      'ragged rows',
      { bundles: change((b) => ({ ...b, embeddings: samples.map((_, s) => Array(1 + (s % 2)).fill(0)) })) },
      'F3_BUNDLE_COUNT',
    ],
    [
      'NaN',
      { bundles: change((b) => ({ ...b, embeddings: samples.map(() => [Number.NaN]) })) },
      'F3_BUNDLE_NOT_FINITE',
    ],
    ['a sample twice', { bundles: change((b) => ({ ...b, samples: samples.map(() => 's') })) }, 'F3_BUNDLE_DUPLICATE'],
    ['an owner twice', { bundles: [bundles[0], ...bundles] }, 'F3_FUSE_OWNER'],
    [
      'an owner that no label knows',
      { bundles: change((b) => ({ ...b, samples: samples.map((s) => `x${s}`) })) },
      'F3_FUSE_OVERLAP',
    ],
    [
      'ids of two types',
      { bundles: [bundles[0], { ...bundles[1], sampleType: 'integer', samples: samples.map((_, s) => s) }] },
      'F3_BUNDLE_ID_TYPE',
    ],
    ['an owner without a name', { bundles: change((b) => ({ ...b, owner: '' })) }, 'F3_BUNDLE_OWNER'],
    ['what is no bundle', { bundles: [{ owner: 'x' } as PlainBundle] }, 'F3_BUNDLE_FORMAT'],
    ['a folder that is not there', { bundles: 'no-such-folder' }, 'F3_BUNDLE_UNREADABLE'],
    ['an unknown field', { config: { epoch: 3 } as object }, 'F3_ARGUMENT'],
    ['a field that does nothing', { config: { neighbours: 3 } }, 'F3_ARGUMENT'],
    ['a given graph that is not given', { config: { graph: 'given' } }, 'F3_FUSE_GRAPH'],
    ['a split that is none', { split: { train: [], validation: [], test: [] } }, 'F3_FUSE_SPLIT'],
  ])('refuses %s, in words without a flag', async (_, wrong, code) => {
    const error = await fuse({ ...request, ...wrong }).catch((cause: unknown) => cause);
    expect(error).toMatchObject({ code });
    expect((error as Error).message).not.toMatch(/(^|\s)--[a-z]/);
  });

  it('reads folders of bundles and reports what it reads', async () => {
    const { writeBundle } = await import('../src/exchange/bundle/index.ts');
    const dir = join(temporaryDirectory(), 'bundles');
    mkdirSync(dir);
    for (let owner = 0; owner < OWNERS; owner++)
      writeBundle(join(dir, `${owner}.arrow`), toyBundle(owner, { samples: SAMPLES }));
    const stages = new Set<string>();
    await using model = await fuse({ ...request, bundles: dir, onProgress: ({ stage }) => stages.add(stage) });
    expect([...stages]).toEqual(['reading', 'joined', 'training']);
    await using arrays = await fuse(request);
    expect(model.encode().weights).toEqual(arrays.encode().weights);
  });
});
