// An owner with a model of its own, exported as ONNX: embed its windows, look at what leaves, write the bundle to send.
//   npm install onnxruntime-node (or onnxruntime-web)
//   node owner-with-onnx.ts model.onnx [bundle.arrow]
import { checkBundle, writeBundle } from 'federated-feature-fusion/bundle';
import { OnnxModel } from 'federated-feature-fusion/embed';

const [file, out = 'plant-7.arrow'] = process.argv.slice(2);
if (!file) throw new Error('usage: node owner-with-onnx.ts model.onnx [bundle.arrow]');

// The windows stay here: [sample, time, variate]. Yours come from your historian; these are made up.
const shape = { length: Number(process.env.LENGTH ?? 12), variates: Number(process.env.VARIATES ?? 2) };
const samples = Array.from({ length: 50 }, (_, i) => `window-${i}`);
const windows = Float32Array.from({ length: samples.length * shape.length * shape.variates }, (_, i) =>
  Math.sin(i / 5),
);

const model = await OnnxModel.load(file);
const { embeddings } = await model.embed(windows, shape);
const width = embeddings.length / samples.length;
const bundle = { owner: 'plant-7', samples, sampleType: 'text' as const, width, embeddings, model: model.hash };
for (const { level, message } of checkBundle(bundle)) console.error(`${level}: ${message}`);
const { bytes } = writeBundle(out, bundle, { overwrite: true });
console.log(`${out}: ${samples.length} samples, ${width} numbers each, ${bytes.length} bytes; no window is in it`);
await model.dispose();
