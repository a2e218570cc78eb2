// Any number of samples in requests that a coordinator takes, answered by one model.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { ToyCoordinator } from '../../../test/support/toy-coordinator.ts';
import { createKeyPair } from '../identity/key-pair.ts';
import { MOST_SAMPLES, type PredictionRequest } from '../messages.ts';
import { CoordinatorClient } from './coordinator-client.ts';
import { predictSamples } from './predict-samples.ts';

describe('predictSamples', () => {
  const coordinator = new ToyCoordinator();
  let client: CoordinatorClient;
  /** Of each request. */
  let sizes: number[];
  let models: number[];
  beforeAll(async () => {
    const url = `http://127.0.0.1:${await coordinator.listen()}`;
    const keys = await createKeyPair();
    await new CoordinatorClient({ url }).enrol(coordinator.invite('holder', 'labels'), keys);
    client = new CoordinatorClient({ url, keys });
    coordinator.route = ({ path, body }) => {
      if (path === '/v1/enrol') return undefined;
      const { samples, graphs } = JSON.parse(String(body)) as PredictionRequest;
      expect(graphs).toBe('mean');
      expect(body.length).toBeLessThan(8 * 2 ** 20);
      sizes.push(samples.length);
      const predictions = samples.map(({ id, embeddings }) => ({
        sample: id,
        class: 'calm',
        probabilities: [0.75, 0.25],
        owners: Object.keys(embeddings ?? {}),
      }));
      return { model: models.shift() ?? 1, classes: ['calm', 'storm'], predictions };
    };
  });
  afterAll(() => coordinator.close());
  beforeEach(() => {
    [sizes, models] = [[], []];
  });

  const samplesOf = (count: number, width: number) =>
    new Map(
      Array.from({ length: count }, (_, s) => [`s${s}`, new Map([['plant-7', new Float32Array(width).fill(0.1)]])]),
    );

  it('keeps the order over several requests and tells how far it is', async () => {
    const told: number[] = [];
    const samples = samplesOf(MOST_SAMPLES + 3, 1);
    const onProgress = (done: number) => told.push(done);
    const { predictions } = await predictSamples(client, 'grid', samples, { graphs: 'mean', onProgress });
    expect(sizes).toEqual([MOST_SAMPLES, 3]);
    expect(predictions.map(({ sample }) => sample)).toEqual([...samples.keys()]);
    expect(told).toEqual([MOST_SAMPLES, MOST_SAMPLES + 3]);
  });

  it('sends no more at once than a request may have', async () => {
    // Some 20 letters a number: twice 100,000 do not fit into four million.
    await predictSamples(client, 'grid', samplesOf(4, 100_000), { graphs: 'mean' });
    expect(sizes.reduce((sum, size) => sum + size)).toBe(4);
    expect(sizes.length).toBeGreaterThan(1);
  });

  it('fails where another model answers in between, and where there is nothing to ask', async () => {
    models = [1, 2];
    const changed = predictSamples(client, 'grid', samplesOf(MOST_SAMPLES + 1, 1), { graphs: 'mean' });
    await expect(changed).rejects.toMatchObject({
      code: 'F3_CLIENT_RESPONSE',
      message: 'predictions: one model must answer all samples, got model 2 after 1',
    });
    await expect(predictSamples(client, 'grid', new Map())).rejects.toMatchObject({ code: 'F3_ARGUMENT' });
  });
});
