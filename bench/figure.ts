// Draws docs/pictures/core-bench.svg from bench/results/core.json: time of a training step, ours beside the peers.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { svgFigure } from '../src/figures/svg-figure.ts';
import type { Row } from './measure.ts';

const rows: Row[] = JSON.parse(readFileSync(new URL('./results/core.json', import.meta.url), 'utf8'));
const NAMES = { ours: 'f3', 'pytorch tuned': 'PyTorch, tuned', pytorch: 'PyTorch', tfjs: 'TensorFlow.js' } as const;
const compared = rows.filter((row) => row.peers.pytorch !== undefined && /^(step|LSTM)/.test(row.job));
const values = compared.flatMap((row) =>
  Object.entries({ ours: row.oursMs, ...row.peers }).map(([who, ms]) => ({
    job: row.job.replace(/^(step|LSTM epoch of one owner), /, '$1: '),
    who: NAMES[who as keyof typeof NAMES],
    ms,
    label: ms >= 100 ? ms.toFixed(0) : ms.toPrecision(2),
  })),
);
const order = Object.values(NAMES);
const svg = await svgFigure({
  title: 'Milliseconds at METR-LA size (207 owners, batch 100), 2 cores, logarithmic',
  width: 560,
  height: { step: 18 },
  data: { values },
  encoding: {
    y: { field: 'job', type: 'nominal', title: null, sort: null },
    yOffset: { field: 'who', sort: order },
    x: { field: 'ms', type: 'quantitative', scale: { type: 'log', domainMin: 1 }, title: 'ms' },
  },
  layer: [
    {
      mark: 'bar',
      encoding: {
        color: {
          field: 'who',
          sort: order,
          scale: { domain: order, range: ['#2563eb', '#fbbf24', '#d97706', '#9ca3af'] },
          legend: { title: null, orient: 'bottom' },
        },
        x2: { datum: 1 },
      },
    },
    { mark: { type: 'text', align: 'left', dx: 4, fontSize: 11 }, encoding: { text: { field: 'label' } } },
  ],
});
const folder = new URL('../docs/pictures/', import.meta.url);
mkdirSync(folder, { recursive: true });
writeFileSync(new URL('core-bench.svg', folder), svg);
