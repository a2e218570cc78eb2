// The work behind `f3 evaluate`.
import { basename } from 'node:path';
import { checkFileTarget, writeWholeFile } from '../../base/whole-file.ts';
import { F3Error } from '../../errors.ts';
import type { Evaluation } from '../../facade/evaluate.ts';
import { loadModel } from '../../facade/model.ts';
import { printResult } from '../run-command.ts';
import { Progress } from '../terminal/progress.ts';
import { scoreLines } from '../terminal/score-lines.ts';
import { BundleWarnings, printLines } from './join-lines.ts';
import { graphsOf, type PredictionOptions } from './prediction-options.ts';
import { splitOf } from './split-option.ts';

export interface EvaluateOptions extends PredictionOptions {
  model: string[];
  bundles: string[];
  labels: string;
  split?: string;
  absence: boolean;
  shares?: number[];
  repeats: number;
  seed: number;
  figure?: string;
  threads?: number;
  force?: boolean;
  json?: boolean;
}

interface ShownEvaluation extends Evaluation {
  model: string;
  ownerDropout: number;
  /** Number of epochs of training, from the model's card. */
  epochs: number;
  bestEpoch: number;
  seconds: number;
}

export async function runEvaluate(options: EvaluateOptions): Promise<void> {
  const { figure, force = false } = options;
  if (figure && !options.absence) throw new F3Error('F3_OPTION', '--figure: needs the curve, got --no-absence');
  if (figure) checkFileTarget(figure, force);
  const evaluations: ShownEvaluation[] = [];
  for (const dir of options.model) evaluations.push(await evaluate(dir, options));
  if (figure) writeWholeFile(figure, await drawAbsence(evaluations));
  const [first] = evaluations;
  const json = evaluations.length === 1 ? first : { ...first, models: evaluations };
  printResult(json, evaluations.map(text).join('\n\n'), options.json);
}

async function evaluate(dir: string, options: EvaluateOptions): Promise<ShownEvaluation> {
  const { bundles, labels, split, without, shares, repeats, seed, threads } = options;
  const model = await loadModel(dir, { threads });
  const progress = new Progress();
  const warnings = new BundleWarnings();
  try {
    if (options.absence) process.stderr.write('measuring what absent owners cost\n');
    const data = { bundles, labels, split: split === undefined ? undefined : splitOf(split) };
    const evaluation = await model.evaluate(data, {
      without,
      graphs: graphsOf(options),
      absence: options.absence && { shares, repeats, seed },
      onProgress: ({ done, total }) => progress.update('reading bundles', done, total),
      onWarning: warnings.add,
    });
    const { config, epochs, bestEpoch, seconds } = model.facts;
    return { model: dir, ownerDropout: config.ownerDropout, epochs, bestEpoch, seconds, ...evaluation };
  } finally {
    progress.stop();
    printLines(warnings.lines());
    await model.dispose();
  }
}

async function drawAbsence(evaluations: readonly ShownEvaluation[]): Promise<string> {
  const { svgFigure } = await import('../../figures/svg-figure.ts');
  // The last part of the path names a model only if that is unique: runs/1/model and runs/2/model are two lines.
  const isPlain = new Set(evaluations.map(({ model }) => basename(model))).size === evaluations.length;
  const values = evaluations.flatMap(({ model, ownerDropout, absence = [] }) =>
    absence.map((point) => ({
      model: `${isPlain ? basename(model) : model} (owner dropout ${ownerDropout})`,
      ...point,
      low: point.f1 - point.f1Deviation,
      high: point.f1 + point.f1Deviation,
    })),
  );
  const x = {
    field: 'absent',
    type: 'quantitative',
    title: 'share of owners absent',
    axis: { format: '.0%' },
  } as const;
  const color = {
    field: 'model',
    type: 'nominal',
    title: null,
    legend: { orient: 'bottom', labelLimit: 400 },
  } as const;
  return svgFigure({
    title: 'F1 on the test part when owners are absent',
    width: 460,
    height: 260,
    data: { values },
    layer: [
      {
        mark: { type: 'errorband' },
        encoding: { x, color, y: { field: 'low', type: 'quantitative', title: 'F1' }, y2: { field: 'high' } },
      },
      {
        mark: { type: 'line', point: true },
        encoding: { x, color, y: { field: 'f1', type: 'quantitative', title: 'F1' } },
      },
    ],
  });
}

function text({
  model,
  validation,
  test,
  classes,
  confusion: table,
  calibration: fit,
  absence,
}: ShownEvaluation): string {
  const width = Math.max(...classes.map((name) => name.length), 6);
  const row = (name: string, cells: (string | number)[]) =>
    `${name.padEnd(width + 6)}${cells.map((cell) => String(cell).padStart(width + 2)).join('')}`;
  const number = (value: number) => (Number.isFinite(value) ? value.toFixed(3) : '–');
  return [
    model,
    ...scoreLines({ ...(validation && { validation }), test }),
    '',
    row('truth \\ says', classes),
    ...table.map((counts, truth) => row(classes[truth], counts)),
    '',
    `calibration error ${number(fit.expectedError)}, Brier score ${number(fit.brier)}`,
    '  confidence        samples  mean confidence  accuracy',
    ...fit.bins
      .filter(({ count }) => count > 0)
      .map(
        ({ from, to, count, confidence, accuracy }) =>
          `  ${from.toFixed(2)} to ${to.toFixed(2)}${String(count).padStart(13)}${number(confidence).padStart(17)}${number(accuracy).padStart(10)}`,
      ),
    ...(absence
      ? [
          '',
          '  owners absent       F1          ROC AUC',
          ...absence.map(
            ({ absent, f1, f1Deviation, auc, aucDeviation }) =>
              `  ${`${Math.round(absent * 100)} %`.padStart(13)}  ${number(f1)} ±${number(f1Deviation)}  ${number(auc)} ±${number(aucDeviation)}`,
          ),
        ]
      : []),
  ].join('\n');
}
