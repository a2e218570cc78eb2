// Request bodies for one prediction with all owners, in the forms that the coordinator accepts.
import { encodeArrow, floatListColumn, textColumn } from '../src/base/arrow-table.ts';
import { FEDERATION, ownerNames, randomSample, WIDTH } from './server-scene.ts';

export interface PredictionBody {
  path: string;
  headers: Record<string, string>;
  body: Buffer;
}

/** The form `mean` is binary, with the mean graph instead of sampled ones. */
export const FORMS = ['binary', 'mean', 'json', 'arrow'] as const;
export type Form = (typeof FORMS)[number];

export function predictionBody(form: Form, owners: number): PredictionBody {
  const values = randomSample(owners, 1);
  const names = ownerNames(owners);
  const v1 = `/v1/federations/${FEDERATION}/predict`;
  if (form === 'json') {
    const rows = names.map((name, i) => [name, Array.from(values.subarray(i * WIDTH, (i + 1) * WIDTH))]);
    const body = Buffer.from(JSON.stringify({ samples: [{ id: 's', embeddings: Object.fromEntries(rows) }] }));
    return { path: v1, headers: { 'content-type': 'application/json' }, body };
  }
  if (form === 'arrow') {
    const embedding = floatListColumn(values, WIDTH);
    const table = encodeArrow({ sample: textColumn(names.map(() => 's')), owner: textColumn(names), embedding }, {});
    return { path: v1, headers: { 'content-type': 'application/vnd.apache.arrow.file' }, body: Buffer.from(table) };
  }
  const bytes = Buffer.from(values.buffer);
  const tensor = { name: 'embeddings', datatype: 'FP32', shape: [1, owners, WIDTH] };
  const parameters = form === 'mean' ? { parameters: { graphs: 'mean' } } : {};
  const json = JSON.stringify({
    ...parameters,
    inputs: [{ ...tensor, parameters: { binary_data_size: bytes.length } }],
  });
  return {
    path: `/v2/models/${FEDERATION}/infer`,
    headers: { 'content-type': 'application/octet-stream', 'inference-header-content-length': String(json.length) },
    body: Buffer.concat([Buffer.from(json), bytes]),
  };
}
