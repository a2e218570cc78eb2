// Runs five epochs of per-example training at METR-LA size and prints time and peak memory of this process as JSON.
import { peakMemory } from '../src/base/peak-memory.ts';
import { trainingStep } from './core-jobs.ts';

const graph = process.argv[2] === 'gumbel' ? 'gumbel' : 'icdf';
const { run, engine } = trainingStep({ config: { graph, graphsPer: 'example' }, steps: 20 });
const start = performance.now();
for (let epoch = 0; epoch < 5; epoch++) run();
const ms = performance.now() - start;
await engine.dispose();
process.stdout.write(`${JSON.stringify({ ms, peakMb: peakMemory() / 2 ** 20 })}\n`);
