// [coordinator] A request of the Open Inference Protocol: its schema, and how one is read whose numbers are many.
import { z } from 'zod';
import { parseWith } from '../requests/parse-with.ts';
import { floatValues } from './float-values.ts';

/** No model has more owners. */
const MOST_INPUTS = 10_000;
const MOST_OUTPUTS = 10;

/**
 * Shape [sample, width]: embeddings of the owner of that name. Shape [sample, owner, width], name `embeddings`: those of all
 * owners of the model, which must have one width, in the order in which GET /v2/models/:federation lists them.
 * Numbers stand in `data`, or as float32 behind the JSON, in the order of the inputs, each `binary_data_size` bytes.
 */
const input = z.object({
  name: z.string().min(1),
  shape: z.array(z.number().int().min(1)).min(2).max(3),
  datatype: z.literal('FP32'),
  parameters: z.looseObject({ binary_data_size: z.number().int().min(0).optional() }).optional(),
  data: z.array(z.unknown()).optional().describe('numbers, flat or nested as the shape says'),
});
/** `graphs` chooses the model's sampled graphs, or their mean, which takes one pass and is several times cheaper. */
const parameters = z.looseObject({ graphs: z.enum(['mean', 'sampled']).default('sampled') });
export const inferRequest = z.object({
  id: z.string().max(255).optional(),
  parameters: parameters.optional(),
  inputs: z.array(input).min(1).max(MOST_INPUTS),
  outputs: z
    .array(z.object({ name: z.enum(['probabilities', 'class']) }))
    .min(1)
    .max(MOST_OUTPUTS)
    .optional()
    .describe('without it, all'),
});

/** A request whose form was checked. Numbers of a large one are float32 already. */
export type InferenceRequest = Omit<z.infer<typeof inferRequest>, 'inputs'> & { inputs: InferenceInput[] };
export type InferenceInput = Omit<z.infer<typeof input>, 'data'> & { data?: unknown[] | Float32Array | undefined };

/** The schema sees a large request without its numbers, which are checked one by one. */
export function readLongInference(body: unknown): InferenceRequest {
  const given = (body as { inputs?: unknown } | null)?.inputs;
  const isShort = Array.isArray(given) && given.length <= MOST_INPUTS;
  const lists = isShort ? given.map((each) => (each as { data?: unknown } | null)?.data) : [];
  const bare = isShort ? given.map((each, i) => (Array.isArray(lists[i]) ? { ...each, data: [] } : each)) : given;
  const request = parseWith(inferRequest, isShort ? { ...(body as object), inputs: bare } : body);
  const inputs = request.inputs.map((each, i): InferenceInput => {
    const list = lists[i];
    return Array.isArray(list) ? { ...each, data: floatInput(each.name, list, each.shape) } : each;
  });
  return { ...request, inputs };
}

/** Numbers of an input, flat or nested as its shape says. */
export const floatInput = (name: string, data: unknown[], shape: readonly number[]): Float32Array =>
  floatValues(data.flat(shape.length - 1), `input ${name}`);
