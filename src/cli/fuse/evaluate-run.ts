// The work behind `f3 evaluate`.
import { basename } from 'node:path';
import { checkFileTarget, writeWholeFile } from '../../base/whole-file.ts';
import { Engine } from '../../core/engine/engine.ts';
import { F3Error } from '../../errors.ts';
import { type FusionInput, scoresOf } from '../../fuse/fuse-owners.ts';
import { placeSplit } from '../../fuse/join/place-split.ts';
import type { FusedModel } from '../../fuse/model/fused-model.ts';
import { predictProbabilities } from '../../fuse/model/fused-model.ts';
import { loadFusedModel } from '../../fuse/model/model-folder.ts';
import { type Calibration, calibration } from '../../fuse/scores/calibration.ts';
import { confusion, predictedClasses, type Scores } from '../../fuse/scores/scores.ts';
import { type AbsencePoint, absenceCurve } from '../../infer/absent-owners.ts';
import { printResult } from '../run-command.ts';
import { Progress } from '../terminal/progress.ts';
import { scoreLines } from '../terminal/score-lines.ts';
import { joinBundles, readLabelFile, readSplit } from './fusion-files.ts';
import { checkKnown, graphsOf, type PredictionOptions } from './prediction-options.ts';

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

interface Evaluation {
  model: string;
  ownerDropout: number;
  /** Of training, as the card says. */
  epochs: number;
  bestEpoch: number;
  seconds: number;
  validation?: Scores;
  test: Scores;
  classes: string[];
  /** [truth][predicted], test part */
  confusion: number[][];
  calibration: Calibration;
  absence?: AbsencePoint[];
}

export async function runEvaluate(options: EvaluateOptions): Promise<void> {
  const { figure, force = false } = options;
  if (figure && !options.absence) throw new F3Error('F3_OPTION', '--figure: needs the curve, got --no-absence');
  if (figure) checkFileTarget(figure, force);
  const engine = new Engine({ threads: options.threads });
  const evaluations: Evaluation[] = [];
  try {
    for (const dir of options.model) evaluations.push(await evaluate(engine, dir, options));
  } finally {
    await engine.dispose();
  }
  if (figure) writeWholeFile(figure, await drawAbsence(evaluations));
  const [first] = evaluations;
  const json = evaluations.length === 1 ? first : { ...first, models: evaluations };
  printResult(json, evaluations.map(text).join('\n\n'), options.json);
}

async function evaluate(engine: Engine, dir: string, options: EvaluateOptions): Promise<Evaluation> {
  const model = await loadFusedModel(engine, dir);
  const input = await readInput(engine, dir, model, options);
  const { joined, labels, split } = input;
  const graphs = graphsOf(options);
  const truth = Int32Array.from(split.test, (row) => labels.labels[row]);
  const probabilities = predictProbabilities(engine, model, joined, split.test, graphs);
  const classes = labels.classes.length;
  const { shares, repeats, seed } = options;
  const choices = { repeats, seed, ...(shares && { shares }), ...(graphs !== undefined && { graphs }) };
  if (options.absence) process.stderr.write('measuring what absent owners cost\n');
  const absence = options.absence ? absenceCurve(engine, model, joined, split.test, truth, choices) : undefined;
  const { config, epochs, bestEpoch, seconds } = model.facts;
  const evaluation: Evaluation = {
    ...{ model: dir, ownerDropout: config.ownerDropout, epochs, bestEpoch, seconds },
    ...(options.split !== undefined && { validation: scoresOf(engine, model, input, 'validation', graphs) }),
    test: scoresOf(engine, model, input, 'test', graphs),
    classes: labels.classes,
    confusion: confusion(predictedClasses(probabilities, classes), truth, classes),
    calibration: calibration(probabilities, truth, classes),
    ...(absence && { absence }),
  };
  for (const tensor of [joined.embeddings, joined.present]) engine.free(tensor);
  model.network?.dispose();
  return evaluation;
}

async function readInput(
  engine: Engine,
  dir: string,
  model: FusedModel,
  { bundles, labels: labelFile, split, without }: EvaluateOptions,
): Promise<FusionInput> {
  const { owners, classes } = model.facts;
  checkKnown(without ?? [], owners, dir);
  const labels = await readLabelFile(labelFile, classes);
  const progress = new Progress();
  const known = owners.map(({ owner, width }) => ({ owner, width }));
  const join = { samples: labels.samples, owners: known, votes: model.rule !== undefined, ...(without && { without }) };
  const warn = (line: string) => process.stderr.write(`${line}\n`);
  const joined = await joinBundles(engine, bundles, join, { progress: progress.update, warn }).finally(() =>
    progress.stop(),
  );
  if (split !== undefined) {
    return { joined, labels, split: placeSplit(await readSplit(split, labels), joined, labels).rows };
  }
  const seen = joined.present.data;
  const all = Uint32Array.from(labels.samples, (_, row) => row).filter((row) =>
    seen.subarray(row * owners.length, (row + 1) * owners.length).includes(1),
  );
  return { joined, labels, split: { train: new Uint32Array(), validation: new Uint32Array(), test: all } };
}

async function drawAbsence(evaluations: readonly Evaluation[]): Promise<string> {
  const { svgFigure } = await import('../../figures/svg-figure.ts');
  // runs/1/model and runs/2/model are two lines, not one.
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
    ...{ width: 460, height: 260, data: { values } },
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

function text({ model, validation, test, classes, confusion: table, calibration: fit, absence }: Evaluation): string {
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
