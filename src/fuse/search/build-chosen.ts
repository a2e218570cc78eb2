// [coordinator] The model that a search chose, put together from what was kept of its fits, and scored on the test part for the
// first time.
import type { Engine } from '../../core/engine/engine.ts';
import { judgeModel } from '../fuse-owners.ts';
import type { FusionConfig } from '../fusion-config.ts';
import type { FusionInput } from '../join/fusion-input.ts';
import { calibrateModel } from '../model/calibrate-model.ts';
import { plainFacts, restoreFusedModel } from '../model/fused-card.ts';
import type { EnsembleModel, FusedFacts, FusedModel, SingleModel } from '../model/fused-model.ts';
import type { DoneFit, FitRecord } from './fit-record.ts';
import { mixMembers } from './mix-fits.ts';
import type { SearchReport } from './search-report.ts';

/** `chosen`: position of a fit, or of several that are mixed. `calibration`: what a single fit gets; a mixture has its own temperature. */
export async function buildChosen(
  engine: Engine,
  input: FusionInput,
  report: SearchReport,
  fits: readonly FitRecord[],
  chosen: number | readonly number[],
  calibration: FusionConfig['calibration'],
): Promise<FusedModel> {
  const build = (position: number) => buildFit(engine, input, fits[position] as DoneFit);
  const model =
    typeof chosen === 'number'
      ? calibrateModel(engine, withCalibration(await build(chosen), calibration), input)
      : await buildMixture(input, report, fits, chosen, build);
  model.facts.search = report;
  judgeModel(engine, model, input);
  return model;
}

const withCalibration = (model: SingleModel, calibration: FusionConfig['calibration']): SingleModel => ({
  ...model,
  facts: { ...model.facts, config: { ...model.facts.config, calibration } },
});

/** The search did not see the test part, so what the fit knows of it is put right. */
async function buildFit(engine: Engine, { split }: FusionInput, { model }: DoneFit): Promise<SingleModel> {
  const { weights } = model;
  const restored = (await restoreFusedModel(engine, model.card, async () => weights, 'fit')) as SingleModel;
  const { train, validation, test } = split;
  const samples = { train: train.length, validation: validation.length, test: test.length };
  return { ...restored, facts: { ...plainFacts(model.card), samples } };
}

async function buildMixture(
  { labels, split }: FusionInput,
  { absenceWeight, tried }: SearchReport,
  fits: readonly FitRecord[],
  chosen: readonly number[],
  build: (position: number) => Promise<SingleModel>,
): Promise<EnsembleModel> {
  const members: SingleModel[] = [];
  for (const position of chosen) members.push(await build(position));
  const mixture = mixMembers(
    {
      fits: fits.map((fit) => (fit.kind === 'done' ? fit.validation : [])),
      labels: Int32Array.from(split.validation, (row) => labels.labels[row]),
      classes: labels.classes.length,
      absenceWeight,
    },
    chosen,
  );
  const seconds = chosen.reduce((sum, position) => sum + tried[position].seconds, 0);
  const facts: FusedFacts = {
    ...members[0].facts,
    seconds,
    ensemble: { mixture, members: members.map((member) => member.facts) },
  };
  return { kind: 'ensemble', facts, members, mixture };
}
