// Attacks with large bodies: whatever they hold is read in a thread, so that the one that serves requests goes on; and what is sound in
// them is answered as it would be in a small one.
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { GRID, predict } from '../../../test/support/attack-requests.ts';
import { type Asked, FederationScene, OWNERS, SAMPLES, WIDTH } from '../../../test/support/federation-scene.ts';
import { suiteDirectory } from '../../../test/support/temporary-directory.ts';
import { toyBundle, toyId } from '../../../test/support/toy-bundles.ts';
import { encodeArrow, floatListColumn, textColumn } from '../../base/arrow-table.ts';
import { encodeBundle } from '../../exchange/bundle/bundle.ts';
import type { TrainingRequest } from '../../exchange/messages.ts';

/** JSON with so many copies of an item in a list. */
const many = (before: string, item: string, after: string, count = 50_000): Buffer =>
  Buffer.from(`${before}${new Array(count).fill(item).join()}${after}`);
const keys = (before: string, after: string): Buffer =>
  Buffer.from(`${before}${Array.from({ length: 20_000 }, (_, i) => `"k${i}":0`).join()}${after}`);

const TRAININGS = `${GRID}/trainings`;
const INFER = '/v2/models/grid/infer';
const post = (path: string, body: Buffer): Asked => ({ method: 'POST', path, body });

const ATTACKS: [name: string, who: string, asked: Asked, code: string][] = [
  [
    'edges between nobody',
    'operator',
    post(TRAININGS, many('{"config":{"graph":"given"},"adjacency":[', '{"from":"a","to":"b"}', ']}')),
    'F3_FUSE_GRAPH',
  ],
  [
    'edges that are none',
    'operator',
    post(TRAININGS, many('{"config":{"graph":"given"},"adjacency":[', '0', ']}')),
    'F3_REQUEST',
  ],
  [
    'rows of a matrix',
    'operator',
    post(TRAININGS, many('{"config":{"graph":"given"},"adjacency":{"owners":["a"],"weights":[', '[]', ']}}')),
    'F3_FUSE_GRAPH',
  ],
  [
    'owners of a graph',
    'operator',
    post(TRAININGS, many('{"config":{"graph":"given"},"adjacency":{"weights":[],"owners":[', '"a"', ']}}')),
    'F3_FUSE_GRAPH',
  ],
  [
    'ids that are numbers',
    'operator',
    post(TRAININGS, many('{"split":{"validation":["a"],"test":["b"],"train":[', '0', ']}}')),
    'F3_REQUEST',
  ],
  ['learning rates', 'operator', post(TRAININGS, many('{"learningRates":[', '1', ']}')), 'F3_REQUEST'],
  ['options that nobody knows', 'operator', post(TRAININGS, keys('{', '}')), 'F3_REQUEST'],
  ['settings that nobody knows', 'operator', post(TRAININGS, keys('{"config":{', '}}')), 'F3_REQUEST'],
  ['samples', 'operator', post(`${GRID}/predict`, many('{"samples":[', '0', ']}')), 'F3_REQUEST'],
  [
    'owners of a sample',
    'operator',
    post(`${GRID}/predict`, keys('{"samples":[{"id":"s","embeddings":{', '}}]}')),
    'F3_REQUEST',
  ],
  ['inputs that are none', 'operator', post(INFER, many('{"inputs":[', '0', ']}')), 'F3_REQUEST'],
  [
    'numbers of an input',
    'operator',
    post(INFER, many('{"inputs":[{"name":"owner-0","shape":[1,4],"datatype":"FP32","data":[', '0', ']}]}')),
    'F3_REQUEST',
  ],
  [
    'outputs',
    'operator',
    post(
      INFER,
      many(
        '{"inputs":[{"name":"owner-0","shape":[1,4],"datatype":"FP32","data":[0,0,0,0]}],"outputs":[',
        '{"name":"class"}',
        ']}',
      ),
    ),
    'F3_REQUEST',
  ],
  [
    'numbers of a live sample',
    'owner-0',
    post(`${GRID}/live/s1`, many('{"embedding":[', '0', ']}', 210_000)),
    'F3_REQUEST',
  ],
  ['absent owners', 'operator', post(`${GRID}/models/1/what-if`, many('{"absent":[', '0', ']}')), 'F3_REQUEST'],
  ['half characters', 'operator', post(TRAININGS, many('{"classes":["\\ud83d",', '1', ']}')), 'F3_REQUEST'],
];

describe('an attack with a large body', () => {
  const dir = suiteDirectory();
  let scene: FederationScene;
  beforeAll(async () => {
    scene = await FederationScene.start({ data: join(dir, 'data') });
  });
  afterAll(() => scene?.server.close());
  const read = () => scene.server.requests.questions;

  it.each(ATTACKS)('of many %s is read in a thread, and refused in few words', async (_, who, asked, code) => {
    const before = read();
    const answer = await scene.ask(who, asked);
    expect(answer).toMatchObject({ code });
    expect(answer.body.length).toBeLessThan(2000);
    expect(read()).toBe(before + 1);
  });

  it('of a thousand rows of Arrow from strangers is read in a thread', async () => {
    const before = read();
    const table = encodeArrow(
      {
        sample: textColumn(Array.from({ length: 8000 }, (_, i) => `s${i}`)),
        owner: textColumn(new Array(8000).fill('nobody')),
        embedding: floatListColumn(new Float32Array(8000), 1),
      },
      {},
    );
    const answer = await scene.ask('operator', predict(table, 'application/vnd.apache.arrow.stream'));
    expect(answer).toMatchObject({ code: 'F3_FUSE_OWNER' });
    expect(read()).toBe(before + 1);
  });

  it('that its sender did not sign is refused before anybody reads it', async () => {
    const before = read();
    const body = many('{"samples":[', '0', ']}');
    const token = await scene.sign('operator', { method: 'POST', path: `${GRID}/predict`, body: {} });
    expect(await scene.ask('operator', { ...post(`${GRID}/predict`, body), token })).toMatchObject({
      code: 'F3_AUTH_TAMPERED',
    });
    expect(read()).toBe(before);
  });

  it('of mistakes in a small body is refused in few words, too', async () => {
    const answer = await scene.ask('operator', post(INFER, many('{"inputs":[', '0', ']}', 9000)));
    expect(answer).toMatchObject({ status: 400, code: 'F3_REQUEST' });
    expect(answer.body.length).toBeLessThan(2000);
  });

  it.each([
    ['edges', many('{"adjacency":[', '0', ']}', 30_000), 'adjacency.0 must be an edge'],
    [
      'sample ids',
      many('{"split":{"validation":["a"],"test":["b"],"train":[', '0', ']}}', 30_000),
      'split.train.0 must',
    ],
    ['owners to leave out', many('{"without":[', '""', ']}', 15_000), 'without must have at most 10000 items'],
    ['learning rates', many('{"learningRates":[', '-1', ']}', 15_000), 'learningRates must have at most 10 items'],
  ])('of many wrong %s in a small body is looked at up to the first', async (_, body, rule) => {
    const before = read();
    const answer = await scene.ask('operator', post(TRAININGS, body));
    expect(answer).toMatchObject({ status: 400, code: 'F3_REQUEST', body: expect.stringContaining(rule) });
    expect(answer.body).not.toContain('more mistakes');
    expect(read()).toBe(before);
  });

  describe('leaves what is sound as it was:', () => {
    const row = (s: number, o: number) => Array.from({ length: WIDTH }, (_, w) => Math.sin(s + 3 * o + w));
    const count = 700;
    const samples = Array.from({ length: count }, (_, s) => ({
      id: `sample-${s}`,
      embeddings: Object.fromEntries(OWNERS.slice(0, 1 + (s % 3)).map((owner, o) => [owner, row(s, o)])),
    }));

    it('predictions of a large batch are those of small ones, as JSON and as Arrow', async () => {
      const client = scene.client('operator');
      const before = read();
      const large = await client.predict('grid', { samples });
      expect(read()).toBe(before + 1);
      const table = encodeArrow(
        {
          sample: textColumn(samples.flatMap(({ id, embeddings }) => Object.keys(embeddings).map(() => id))),
          owner: textColumn(samples.flatMap(({ embeddings }) => Object.keys(embeddings))),
          embedding: floatListColumn(
            Float32Array.from(samples.flatMap(({ embeddings }) => Object.values(embeddings).flat())),
            WIDTH,
          ),
        },
        { filler: 'x'.repeat(2 ** 16) },
      );
      const arrow = await scene.ask('operator', predict(table, 'application/vnd.apache.arrow.stream'));
      expect(read()).toBe(before + 2);
      expect(JSON.parse(arrow.body).predictions).toEqual(large.predictions);
      const small = await client.predict('grid', { samples: samples.slice(100, 110) });
      expect(small.predictions).toEqual(large.predictions.slice(100, 110));
      expect(read()).toBe(before + 2);
    });

    it('so are answers of the Open Inference Protocol', async () => {
      const input = (name: string, from: number, to: number) => ({
        name,
        shape: [to - from, WIDTH],
        datatype: 'FP32',
        data: Array.from({ length: to - from }, (_, s) => row(from + s, 0)),
      });
      const ask = async (from: number, to: number) => {
        const answer = await scene.ask('operator', {
          method: 'POST',
          path: INFER,
          body: { inputs: OWNERS.map((owner) => input(owner, from, to)) },
        });
        return JSON.parse(answer.body).outputs[0].data as number[];
      };
      const before = read();
      const large = await ask(0, count);
      expect(read()).toBe(before + 1);
      expect(large.slice(0, 20)).toEqual(await ask(0, 10));
      expect(read()).toBe(before + 1);
    });

    it('a training with a long split and graph ends in the same weights, is scored and can be refitted', async () => {
      const client = scene.client('operator');
      const ids = (from: number, to: number) => Array.from({ length: to - from }, (_, i) => toyId(from + i));
      const split = { train: ids(0, 40), validation: ids(40, 50), test: ids(50, SAMPLES) };
      // Samples without a label count for nothing.
      const longer = { ...split, train: [...split.train, ...Array.from({ length: 9000 }, (_, i) => `nobody-${i}`)] };
      const adjacency = [{ from: 'owner-0', to: 'owner-1', weight: 0.5 }];
      const config = { epochs: 2, hidden: 4, graph: 'given' as const };
      const train = async (request: TrainingRequest) => {
        const { id } = await client.train('grid', request);
        for await (const _ of client.trainingEvents('grid', id));
        const { state, model, error } = await client.training('grid', id);
        expect([state, error]).toEqual(['done', null]);
        return Number(model);
      };
      const before = read();
      const short = await train({ config, split, adjacency });
      expect(read()).toBe(before);
      const long = await train({ config, split: longer, adjacency: new Array(20).fill(adjacency[0]) });
      expect(read()).toBe(before + 1);
      const weights = async (version: number) => (await client.model('grid', version)).weights;
      expect(await weights(long)).toBe(await weights(short));
      const evaluation = await scene.ask('operator', { path: `${GRID}/models/${long}/evaluation` });
      expect(evaluation.status, evaluation.body).toBe(200);
      const changed = toyBundle(1, { samples: SAMPLES, width: () => WIDTH });
      const bundle = encodeBundle({ ...changed, embeddings: changed.embeddings.map((value) => 2 * value) });
      await scene.client('owner-1').upload('grid', 'bundle', bundle);
      const refitted = await train({ refit: { owner: 'owner-1', model: long }, config: { epochs: 1 }, split: longer });
      expect(read()).toBe(before + 3); // the body, and the comparison of both splits
      expect(refitted).toBe(long + 1);
      const other = client.train('grid', { refit: { owner: 'owner-1', model: long }, split });
      await expect(other).rejects.toMatchObject({ code: 'F3_MODEL_REFIT' });
    });
  });
});
