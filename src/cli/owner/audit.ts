// `f3 owner audit`: attacks the owner's own embeddings with the owner's own data, offline, before anything is sent.
import { Command } from 'commander';
import type { Engine } from '../../core/engine/engine.ts';
import type { OnnxNames } from '../../embed/onnx/onnx-model.ts';
import { F3Error } from '../../errors.ts';
import { homeFolder, makeHomeFolder } from '../../exchange/identity/home.ts';
import type { OwnerAudit, OwnerAuditOptions } from '../../privacy/audit/audit-owner.ts';
import { HOME_FLAG, HOME_TEXT } from '../federation/member-client.ts';
import { integerFrom, numberFrom } from '../option-values.ts';
import { printResult } from '../run-command.ts';
import { withProgress } from '../terminal/progress.ts';
import { typedCommand } from '../typed-command.ts';
import { auditText } from './audit-text.ts';
import { type OwnerChoice, ownerFolders } from './owner-folders.ts';

interface Options extends OwnerChoice, OnnxNames {
  attributes?: string;
  attribute?: string[];
  onnx?: string;
  bundle?: string;
  windows?: string;
  ids?: string;
  idColumn?: string;
  variates?: number;
  home?: string;
  clip?: number;
  noise?: number;
  votes: boolean;
  seed: number;
  report?: string;
  json?: boolean;
}

export function auditCommand(): Command {
  return new Command('audit')
    .description('attack our own embeddings with our own readings and say what they give away; nothing is sent')
    .argument('[dir]', 'data set; not with --bundle')
    .option('--owner <id...>', 'audit these owners')
    .option('--all', 'audit every owner')
    .option('--clip <c>', 'with --noise: audit what f3 owner push --clip --noise would send', numberFrom(1e-9, 1e9))
    .option('--noise <sigma>', 'noise of sigma times --clip', numberFrom(1e-6, 1e6))
    .option('--no-votes', 'class probabilities are not sent')
    .option('--attributes <file>', 'what else somebody may want to know: CSV or Parquet, column sample, a column each')
    .option('--attribute <column...>', 'with --attributes: these columns, not all')
    .option('--onnx <file>', 'audit a model trained elsewhere instead of the one f3 trained')
    .option('--embedding <name>', "the ONNX model's output that is the embedding (default: embedding)")
    .option('--probabilities <name>', "the ONNX model's output of class probabilities, if they are sent")
    .option('--logits <name>', 'instead: an output that a softmax turns into class probabilities')
    .option('--bundle <file>', 'audit a bundle that another program made, with --windows and without a data set')
    .option(
      '--windows <file>',
      'its readings: .npy (samples, time[, variates]), or .csv or .parquet, one row per sample',
    )
    .option('--ids <file>', 'ids of the rows of --windows, if it is a .npy in another order than the bundle')
    .option('--id-column <name>', 'column of ids, if --windows is a table (default: sample)')
    .option('--variates <n>', 'readings per step, if --windows is a table (default: 1)', integerFrom(1))
    .option('--seed <n>', 'of the attackers', integerFrom(0), 1)
    .option('--report <dir>', 'write a page with plots of true and recovered windows')
    .option(HOME_FLAG, HOME_TEXT)
    .option('--json', 'print one line of JSON')
    .addHelpText(
      'after',
      `
Attackers know the readings of 1, 10 or 50 % of the samples and are judged on others that none of them has seen: those of a data
set's test part, or half of a bundle's. Beside each figure stands what guessing the mean gives. The result is kept in the home folder, where f3 owner push --max-recovery looks.

A model that is no ONNX file can be audited by what it made: --bundle with --windows. Labels and the like go with --attributes.

Examples:
  f3 owner audit data/plant --owner plant-7
  f3 owner audit data/plant --owner plant-7 --clip 2 --noise 1.5 --report audit
  f3 owner audit data/ward --owner ward-3 --attributes patients.csv --attribute smoker age
  f3 owner audit data/plant --owner plant-7 --onnx model.onnx --embedding hidden
  f3 owner audit --bundle plant-7.arrow --windows readings.npy --attributes labels.csv`,
    )
    .action(runAudit);
}

async function runAudit(dir: string | undefined, options: Options): Promise<void> {
  const { clip, noise, votes, seed, report, json } = options;
  checkFlags(dir, options);
  const home = homeFolder(options.home);
  makeHomeFolder(home);
  if (report !== undefined) (await import('../../reproduce/report/write-report.ts')).checkReportTarget(report);
  const chosen = clip !== undefined && noise !== undefined ? { clip, noise } : undefined;
  const attributes =
    options.attributes === undefined
      ? undefined
      : await (await import('../../privacy/audit/sample-attributes.ts')).readAttributes(
          options.attributes,
          options.attribute,
        );
  const wanted = { noise: chosen, votes, seed, attributes };
  const audits = await withEngine((engine) =>
    dir === undefined ? auditGiven(engine, options, wanted) : auditFolders(engine, dir, options, wanted),
  );
  const { keepAudit } = await import('../../privacy/audit/kept-audits.ts');
  for (const audit of audits) keepAudit(home, audit);
  if (report !== undefined) await (await import('./audit-report.ts')).writeAuditReport(report, audits, typedCommand());
  const { verdictOf } = await import('../../privacy/audit/verdict.ts');
  const texts = audits.map((audit) => auditText(audit, verdictOf(audit)));
  if (report !== undefined) texts.push(`report: ${report}/report.html`);
  printResult({ audits: audits.map((audit) => ({ ...audit, verdict: verdictOf(audit) })) }, texts.join('\n\n'), json);
}

function checkFlags(dir: string | undefined, options: Options): void {
  const { clip, noise, bundle, windows, onnx, owner, all } = options;
  const refuse = (problem: string) => {
    throw new F3Error('F3_OPTION', problem);
  };
  if ((clip === undefined) !== (noise === undefined)) refuse('--clip and --noise: must be given together');
  if (options.attribute && options.attributes === undefined) {
    refuse('--attribute: must go with --attributes, the file that has the column');
  }
  if ((dir === undefined) === (bundle === undefined))
    refuse('audit: must be given a data set or --bundle, one of them');
  if ((bundle === undefined) !== (windows === undefined)) {
    refuse(
      '--bundle and --windows: must be given together, since attacks need embeddings and the readings behind them',
    );
  }
  if (bundle === undefined && (options.ids ?? options.idColumn ?? options.variates) !== undefined) {
    refuse('--ids, --id-column and --variates: are about --windows, got none');
  }
  if (bundle !== undefined && (onnx !== undefined || owner || all)) {
    refuse('--bundle: must not go with --onnx, --owner or --all, since it says whose it is');
  }
}

async function withEngine(work: (engine: Engine) => Promise<OwnerAudit[]>): Promise<OwnerAudit[]> {
  const { Engine } = await import('../../core/engine/engine.ts');
  const engine = new Engine({ threads: 1 });
  try {
    return await work(engine);
  } finally {
    await engine.dispose();
  }
}

async function auditGiven(engine: Engine, options: Options, wanted: OwnerAuditOptions): Promise<OwnerAudit[]> {
  const { bundle: file, windows, ids, idColumn, variates } = options;
  const { readBundleFile } = await import('../../exchange/bundle/bundle-file.ts');
  const { decodeBundle } = await import('../../exchange/bundle/bundle.ts');
  const { requireSound } = await import('../../exchange/bundle/check-bundle.ts');
  const { auditBundle } = await import('../../privacy/audit/audit-bundle.ts');
  const bundle = decodeBundle(await readBundleFile(file as string), file as string);
  for (const { message } of requireSound(bundle)) process.stderr.write(`warning: ${message}\n`);
  return [await auditBundle(engine, bundle, { file: windows as string, ids, idColumn, variates }, wanted)];
}

async function auditFolders(
  engine: Engine,
  dir: string,
  options: Options,
  wanted: OwnerAuditOptions,
): Promise<OwnerAudit[]> {
  const folders = ownerFolders(dir, options);
  if (options.onnx !== undefined && folders.length !== 1) {
    throw new F3Error('F3_OPTION', `--onnx: must be for one owner, got ${folders.length}`);
  }
  const { embedding, probabilities, logits } = options;
  const names = { ...(embedding && { embedding }), ...(probabilities && { probabilities }), ...(logits && { logits }) };
  const onnx = options.onnx === undefined ? undefined : { file: options.onnx, names };
  const { auditOwner } = await import('../../privacy/audit/audit-owner.ts');
  return withProgress(async (progress) => {
    const audits: OwnerAudit[] = [];
    for (const [i, folder] of folders.entries()) {
      progress('auditing owners', i, folders.length);
      audits.push(await auditOwner(engine, folder, { ...wanted, onnx }));
      await new Promise(setImmediate); // Ctrl-C is noticed here.
    }
    progress('auditing owners', folders.length, folders.length);
    return audits;
  });
}
