// The page of `f3 owner audit`: verdict, figures, and true windows beside recovered ones.
import type { TopLevelSpec } from 'vega-lite';
import type { Cell, ResultFigure, ResultTable } from '../../figures/result.ts';
import type { OwnerAudit } from '../../privacy/audit/audit-owner.ts';
import { verdictOf } from '../../privacy/audit/verdict.ts';
import type { ExperimentResult } from '../../reproduce/experiment.ts';
import { machineFacts } from '../../reproduce/report/machine-facts.ts';
import { writeReport } from '../../reproduce/report/write-report.ts';
import { otherFigures, pairsText } from './audit-text.ts';

/** `command`: what was typed. */
export async function writeAuditReport(out: string, audits: readonly OwnerAudit[], command: string): Promise<void> {
  const heading = {
    title: 'What our embeddings give away',
    introduction:
      'Attacks on our own embeddings with our own readings, on this machine. Nothing was sent. Attackers know the readings of some ' +
      'samples and are judged on others, which none of them has seen.',
  };
  await writeReport(
    out,
    audits.map((audit) => section(audit, command)),
    { ...machineFacts(), heading },
  );
}

function section(audit: OwnerAudit, command: string): ExperimentResult {
  const { owner, noise, seed, model, seconds } = audit;
  const [level, ...rest] = verdictOf(audit);
  return {
    name: `audit-${owner.replace(/[^\w-]/g, '_')}`,
    title: `Owner ${owner}`,
    simulated: false,
    command,
    seeds: 1,
    seconds,
    summary: [level, ...rest].join(' '),
    tables: [recoveries(audit), guesses(audit)],
    figures: [windowsFigure(audit)],
    remarks: [
      'A share of 1 is everything, 0 is what guessing the mean gives. Errors are root mean squares in the unit of the readings.',
      boundRemark(audit),
    ],
    configuration: { seed, model, ...(noise && { noise }) },
    values: {},
  };
}

function boundRemark({ answers, bound }: OwnerAudit): string {
  const failed = 'An attack that fails here proves nothing about better ones';
  if (answers) return 'The bound holds for whoever sees one answer; what several samples tell together is not in it.';
  if (!bound) return `${failed}, and there is no bound for all of them.`;
  return `${failed}; the bound holds for every attacker, as far as the model is linear around a window.`;
}

function recoveries({ recoveries: all }: OwnerAudit): ResultTable {
  return {
    title: 'Readings recovered',
    columns: [
      'attacker',
      'pairs known',
      "window's mean",
      'errs by',
      'guessing errs by',
      'last reading',
      'errs by',
      'every reading',
      'errs by',
    ],
    rows: all.map(({ attacker, known, pairs, mean, last, every }): Cell[] => [
      attacker,
      pairsText({ known, pairs }),
      { mean: mean.share },
      mean.error.toPrecision(3),
      mean.guess.toPrecision(3),
      { mean: last.share },
      last.error.toPrecision(3),
      { mean: every.share },
      every.error.toPrecision(3),
    ]),
  };
}

function guesses(audit: OwnerAudit): ResultTable {
  const row = (what: string, found: number, baseline: string): Cell[] => [what, { mean: found }, baseline];
  return {
    title: 'What else they tell',
    columns: ['what', 'found', 'without embeddings'],
    rows: [
      ...audit.classes.flatMap(({ name, commonest, fewLabels, clustering }) => [
        ...fewLabels.map(({ perClass, accuracy }) =>
          row(`${name}, ${perClass} known per class: accuracy`, accuracy, commonest.toFixed(3)),
        ),
        row(`${name}, by clustering: accuracy`, clustering, commonest.toFixed(3)),
      ]),
      ...otherFigures(audit).map(({ what, found, without }) => row(what, found, without)),
    ],
  };
}

function windowsFigure({ examples, variates }: OwnerAudit): ResultFigure {
  const values = examples.flatMap(({ sample, truth, guess }) => [
    ...truth.map((value, step) => ({ sample, step, value, what: 'reading' })),
    ...guess.map((value, step) => ({ sample, step, value, what: 'recovered' })),
  ]);
  const specification = {
    data: { values },
    facet: { field: 'sample', type: 'nominal', title: null },
    columns: 3,
    spec: {
      width: 180,
      height: 110,
      mark: { type: 'line', strokeJoin: 'round', strokeWidth: 2 },
      encoding: {
        x: { field: 'step', type: 'quantitative', title: 'step', axis: { grid: false, tickMinStep: 1 } },
        y: { field: 'value', type: 'quantitative', title: variates[0], scale: { zero: false } },
        color: { field: 'what', type: 'nominal', legend: { orient: 'top', title: null } },
        strokeDash: { field: 'what', type: 'nominal' },
      },
    },
  } as unknown as TopLevelSpec;
  return {
    name: 'windows',
    title: 'True and recovered windows',
    caption: `The first ${examples.length} held-out samples, as the best attacker recovers them from their embeddings.`,
    specification,
  };
}
