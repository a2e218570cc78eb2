// [coordinator] The Open Inference Protocol (v2): a federation is a model, an input holds the embeddings of one or all owners.
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { FastifyRequest } from 'fastify';
import type { z } from 'zod';
import { inSlices } from '../../base/in-slices.ts';
import { VERSION } from '../../base/version.ts';
import { F3Error } from '../../errors.ts';
import type { Answer, SampleEmbeddings, ServedModel } from '../../infer/served-model.ts';
import type { TypedApp } from '../app.ts';
import { BODY_BYTES } from '../http/body-parsers.ts';
import { BinaryTensors, JSON_LENGTH_HEADER, parsedHeader, splitBinaryBody } from '../prediction/binary-tensors.ts';
import {
  floatInput,
  type InferenceInput,
  type InferenceRequest,
  inferRequest,
} from '../prediction/inference-request.ts';
import { modelVersion } from '../prediction/model-version.ts';
import { contentOf } from '../requests/read-body.ts';
import { askerOf, type RequestThread, SMALL_BODY_BYTES } from '../requests/request-thread.ts';
import type { ServerContext } from '../server-context.ts';
import { federationParams } from './federations.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** The bytes behind the JSON of an Open Inference request. */
    tensors: Uint8Array | null;
  }
}

const ASKERS = ['operator', 'labels'] as const;
const MOST_SAMPLES = 10_000;
const NO_TENSORS = new Uint8Array();
/** Name of the input that holds all owners. An owner may have this name, too, because its input has two dimensions, not three. */
const ALL_OWNERS = 'embeddings';

/** The protocol lets a client name a version. Only the active one answers. */
const PLACES: [string, z.ZodType<{ federation: string; version?: number }>][] = [
  ['/v2/models/:federation', federationParams],
  ['/v2/models/:federation/versions/:version', federationParams.extend({ version: modelVersion })],
];
type Inputs = InferenceInput[];
/** So many embeddings are put in place before other requests have their turn. */
const SLICE = 5000;
/** So many samples are handed to the model before other requests have their turn. */
const SAMPLES_SLICE = 500;

export function addOpenInference(app: TypedApp, { models, feed, requests }: ServerContext): void {
  app.decorateRequest('tensors', null);
  const extensions = ['binary_tensor_data'];
  app.get('/v2', { config: { allow: 'public' } }, async () => ({ name: 'f3', version: VERSION, extensions }));

  for (const [path, params] of PLACES) {
    const options = { schema: { params }, config: { allow: ASKERS, allowsInferenceTokens: true } };

    app.get(path, options, ({ params: { federation, version: wanted } }) =>
      models.ask(federation, undefined, ({ version, model }) => {
        requireActive(federation, version, wanted);
        const { owners, classes } = model.card;
        return {
          name: federation,
          versions: [String(version)],
          platform: 'f3',
          inputs: owners.map(({ owner, width }) => ({ name: owner, datatype: 'FP32', shape: [-1, width] })),
          outputs: [
            { name: 'probabilities', datatype: 'FP32', shape: [-1, classes.length] },
            { name: 'class', datatype: 'BYTES', shape: [-1] },
          ],
        };
      }),
    );

    // The status is the answer, because health checks do not read the body.
    app.get(`${path}/ready`, options, ({ params: { federation, version: wanted } }) =>
      models.ask(federation, undefined, ({ version }) => {
        requireActive(federation, version, wanted);
        return { name: federation, ready: true };
      }),
    );

    app.post(
      `${path}/infer`,
      {
        config: { ...options.config, counted: 'prediction.made', reader: 'inference' },
        schema: { params, body: inferRequest },
        bodyLimit: BODY_BYTES.content,
        onRequest: assumeType,
        preValidation: (request) => readBinary(request, requests),
      },
      ({ params: { federation, version: wanted }, body: received, tensors }) => {
        const body = contentOf<InferenceRequest>(received) ?? (received as InferenceRequest);
        return models.ask(
          federation,
          body.parameters?.graphs === 'mean' ? 'mean' : undefined,
          async ({ version, model }) => {
            requireActive(federation, version, wanted);
            const began = Date.now();
            const { answers, embeddingsOf } = await answer(model, body.inputs, tensors ?? NO_TENSORS);
            const watched = feed.of(federation);
            const name = body.id ?? `infer-${watched.newest + 1}`;
            watched.publishBatch({
              version,
              model,
              // Samples of the protocol have no names: the request's id, and the row where there are several.
              predictions: answers.map((one, row) => ({
                sample: answers.length > 1 ? `${name} row ${row}` : name,
                ...one,
              })),
              embeddingsOf,
              latencyMs: Date.now() - began,
            });
            return {
              model_name: federation,
              model_version: String(version),
              ...(body.id !== undefined && { id: body.id }),
              outputs: outputsOf(answers, model.card.classes.length, body.outputs),
            };
          },
        );
      },
    );
  }
}

function requireActive(federation: string, active: number, wanted: number | undefined): void {
  if (wanted === undefined || wanted === active) return;
  const rule = `version must be ${active}, the active one`;
  throw new F3Error('F3_MODEL_UNKNOWN', `model of ${federation}: ${rule}, got ${wanted}`);
}

function outputsOf(answers: readonly Answer[], classes: number, wanted: InferenceRequest['outputs']) {
  const probabilities = answers.flatMap((each) => each.probabilities);
  const outputs = [
    { name: 'probabilities', datatype: 'FP32', shape: [answers.length, classes], data: probabilities },
    { name: 'class', datatype: 'BYTES', shape: [answers.length], data: answers.map((each) => each.class) },
  ];
  return wanted ? outputs.filter(({ name }) => wanted.some((each) => each.name === name)) : outputs;
}

/** Triton's client sends no content type. A header with the length of the JSON means that tensors follow it. */
async function assumeType({ headers }: FastifyRequest): Promise<void> {
  headers['content-type'] ??=
    headers[JSON_LENGTH_HEADER] === undefined ? 'application/json' : 'application/octet-stream';
}

/** Runs after the token was checked. The JSON part becomes the body, so that the schema checks it like any other. */
async function readBinary(request: FastifyRequest, requests: RequestThread): Promise<void> {
  if (!request.headers['content-type']?.startsWith('application/octet-stream')) return;
  const [json, tensors] = splitBinaryBody(request.rawBody, request.headers[JSON_LENGTH_HEADER]);
  const isLarge = json.length > SMALL_BODY_BYTES;
  request.body = isLarge ? await requests.read(askerOf(request), 'inference', json) : parsedHeader(json);
  request.tensors = tensors;
}

/** Answers, and the embeddings behind each: copies, so that keeping one does not keep the whole request. */
interface Answered {
  answers: Answer[];
  embeddingsOf(row: number): SampleEmbeddings;
}

async function answer(model: ServedModel, inputs: Inputs, bytes: Uint8Array): Promise<Answered> {
  const [{ shape }] = inputs;
  const [count] = shape;
  if (count > MOST_SAMPLES)
    throw new F3Error('F3_REQUEST', `request: must ask for 1 to ${MOST_SAMPLES} samples, got ${count}`);
  const tensors = new BinaryTensors(bytes);
  const values = inputs.map((each) => valuesOf(each, tensors));
  tensors.requireEmpty();
  if (inputs.every((each) => each.shape.length === 2)) {
    const samples = await samplesOf(inputs, values);
    const answers = await inSlices(samples, SAMPLES_SLICE, async (sample) => model.predict(sample));
    return { answers, embeddingsOf: (row) => copied(samples[row]) };
  }
  const [{ name }, other] = inputs;
  if (name === ALL_OWNERS && !other) {
    const answers = await model.predictComplete(values[0], shape);
    const [, owners, width] = shape;
    const at = (row: number, owner: number) => (row * owners + owner) * width;
    const embeddingsOf = (row: number) =>
      new Map(
        model.card.owners.map(({ owner }, i) => [owner, values[0].slice(at(row, i), at(row, i) + width)] as const),
      );
    return { answers, embeddingsOf };
  }
  const rule = `three dimensions are for one input named ${ALL_OWNERS}, of all owners`;
  throw new F3Error('F3_REQUEST', `inputs: ${rule}, got ${inputs.length} inputs, the first named ${name}`);
}

const copied = (sample: SampleEmbeddings): SampleEmbeddings =>
  new Map(Array.from(sample, ([owner, embedding]) => [owner, embedding.slice()]));

function valuesOf({ name, shape, parameters, data }: Inputs[number], tensors: BinaryTensors): Float32Array {
  const size = parameters?.binary_data_size;
  if ((data === undefined) === (size === undefined))
    throw new F3Error(
      'F3_REQUEST',
      `input ${name}: must have either data or binary_data_size, got ${data ? 'both' : 'none'}`,
    );
  if (size !== undefined) return tensors.take(name, size, shape);
  const values = data instanceof Float32Array ? data : floatInput(name, data ?? [], shape);
  if (values.length === shape.reduce((product, length) => product * length)) return values;
  throw new F3Error('F3_REQUEST', `input ${name}: must hold ${shape.join(' × ')} numbers, got ${values.length}`);
}

/** Owners that are not among the inputs are absent. `values`: [input][sample, width]. */
async function samplesOf(inputs: Inputs, values: readonly Float32Array[]): Promise<Map<string, Float32Array>[]> {
  const [count] = inputs[0].shape;
  const samples = Array.from({ length: count }, () => new Map<string, Float32Array>());
  let placed = 0;
  for (const [i, { name, shape }] of inputs.entries()) {
    const [rows, width] = shape;
    if (rows !== count)
      throw new F3Error(
        'F3_REQUEST',
        `input ${name}: must have ${count} rows, as many as the first input, got ${rows}`,
      );
    if (samples[0].has(name))
      throw new F3Error('F3_REQUEST', `input ${name}: an owner may be named once, got it twice`);
    for (const [row, own] of samples.entries()) own.set(name, values[i].subarray(row * width, (row + 1) * width));
    placed += count;
    if (placed < SLICE) continue;
    placed = 0;
    await nextTurn();
  }
  return samples;
}
