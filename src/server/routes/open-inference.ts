// [coordinator] The Open Inference Protocol (v2): a federation is a model, an input is an owner's embeddings.
import { z } from 'zod';
import { F3Error } from '../../errors.ts';
import { requireFederation } from '../../storage/federations.ts';
import type { TypedApp } from '../app.ts';
import type { ServerContext } from '../server-context.ts';
import { federationParams } from './federations.ts';
import { predictAll } from './predictions.ts';

const ASKERS = ['operator', 'labels'] as const;
const MOST_SAMPLES = 10_000;

const input = z.object({
  name: z.string().min(1),
  shape: z.tuple([z.number().int().min(1).max(MOST_SAMPLES), z.number().int().min(1)]),
  datatype: z.literal('FP32'),
  data: z.array(z.union([z.number(), z.array(z.number())])),
});
const inferRequest = z.object({ id: z.string().max(255).optional(), inputs: z.array(input).min(1) });

export function addOpenInference(app: TypedApp, { store: { db }, models }: ServerContext): void {
  const options = { schema: { params: federationParams }, config: { allow: ASKERS } };

  app.get('/v2/models/:federation', options, async ({ params: { federation } }) => {
    const { version, model } = await models.active(federation);
    const { owners, classes } = model.card;
    return {
      ...{ name: federation, versions: [String(version)], platform: 'f3' },
      inputs: owners.map(({ owner, width }) => ({ name: owner, datatype: 'FP32', shape: [-1, width] })),
      outputs: [
        { name: 'probabilities', datatype: 'FP32', shape: [-1, classes.length] },
        { name: 'class', datatype: 'BYTES', shape: [-1] },
      ],
    };
  });

  app.get('/v2/models/:federation/ready', options, async ({ params: { federation } }) => {
    const { activeModel } = await requireFederation(db, federation);
    return { name: federation, ready: activeModel !== null };
  });

  app.post(
    '/v2/models/:federation/infer',
    { ...options, schema: { params: federationParams, body: inferRequest } },
    async ({ params: { federation }, body: { id, inputs } }) => {
      const { version, model } = await models.active(federation);
      const answers = await predictAll(model, samplesOf(inputs));
      const { classes } = model.card;
      const probabilities = answers.flatMap((answer) => answer.probabilities);
      return {
        ...{ model_name: federation, model_version: String(version), ...(id !== undefined && { id }) },
        outputs: [
          { name: 'probabilities', datatype: 'FP32', shape: [answers.length, classes.length], data: probabilities },
          { name: 'class', datatype: 'BYTES', shape: [answers.length], data: answers.map((answer) => answer.class) },
        ],
      };
    },
  );
}

/** Owners that are not among the inputs are absent. Data may be flat or one list per sample. */
function samplesOf(inputs: readonly z.infer<typeof input>[]): Map<string, Map<string, Float32Array>> {
  const [count] = inputs[0].shape;
  const samples = new Map(Array.from({ length: count }, (_, row) => [String(row), new Map<string, Float32Array>()]));
  for (const { name, shape, data } of inputs) {
    const [rows, width] = shape;
    const numbers = data.flat();
    if (rows !== count || numbers.length !== rows * width) {
      const rule = `must hold ${count} × ${width} numbers, as many rows as the first input`;
      throw new F3Error(
        'F3_REQUEST',
        `input ${name}: ${rule}, got shape ${rows} × ${width} and ${numbers.length} numbers`,
      );
    }
    for (const [row, own] of samples) {
      const start = Number(row) * width;
      if (own.has(name)) throw new F3Error('F3_REQUEST', `input ${name}: an owner may be named once, got it twice`);
      own.set(name, Float32Array.from(numbers.slice(start, start + width)));
    }
  }
  return samples;
}
