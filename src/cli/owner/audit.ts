// `f3 owner audit`: attacks the owner's own embeddings with the owner's own data, offline, before anything is sent.
import { Command } from 'commander';
import type { OnnxNames } from '../../embed/onnx/onnx-model.ts';
import { F3Error } from '../../errors.ts';
import { homeFolder, makeHomeFolder } from '../../exchange/identity/home.ts';
import type { OwnerAudit, OwnerAuditOptions } from '../../privacy/audit/audit-owner.ts';
import { type ClassGuess, FEW_LABELS } from '../../privacy/audit/guess-classes.ts';
import type { WindowRecovery } from '../../privacy/audit/recover-windows.ts';
import { HOME_FLAG, HOME_TEXT } from '../federation/member-client.ts';
import { integerFrom, numberFrom } from '../option-values.ts';
import { printResult } from '../run-command.ts';
import { withProgress } from '../terminal/progress.ts';
import { type TextColumn, tableLines } from '../terminal/table.ts';
import { type OwnerChoice, ownerFolders } from './owner-folders.ts';

interface Options extends OwnerChoice, OnnxNames {
  attributes?: string;
  attribute?: string[];
  onnx?: string;
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
    .argument('<dir>', 'data set')
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
    .option('--seed <n>', 'of the attackers', integerFrom(0), 1)
    .option('--report <dir>', 'write a page with plots of true and recovered windows')
    .option(HOME_FLAG, HOME_TEXT)
    .option('--json', 'print one line of JSON')
    .addHelpText(
      'after',
      `
Attackers know the readings of 1, 10 or 50 % of the samples and are judged on samples that nobody trained on. Beside each
figure stands what guessing the mean gives. The result is kept in the home folder, where f3 owner push --max-recovery looks.

Examples:
  f3 owner audit data/plant --owner plant-7
  f3 owner audit data/plant --owner plant-7 --clip 2 --noise 1.5 --report audit
  f3 owner audit data/ward --owner ward-3 --attributes patients.csv --attribute smoker age
  f3 owner audit data/plant --owner plant-7 --onnx model.onnx --embedding hidden`,
    )
    .action(runAudit);
}

async function runAudit(dir: string, options: Options): Promise<void> {
  const { clip, noise, votes, seed, report, json } = options;
  if ((clip === undefined) !== (noise === undefined)) {
    throw new F3Error('F3_OPTION', '--clip and --noise: must be given together');
  }
  if (options.attribute && options.attributes === undefined) {
    throw new F3Error('F3_OPTION', '--attribute: must go with --attributes, the file that has the column');
  }
  const folders = ownerFolders(dir, options);
  if (options.onnx !== undefined && folders.length !== 1) {
    throw new F3Error('F3_OPTION', `--onnx: must be for one owner, got ${folders.length}`);
  }
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
  const { embedding, probabilities, logits } = options;
  const names = { ...(embedding && { embedding }), ...(probabilities && { probabilities }), ...(logits && { logits }) };
  const onnx = options.onnx === undefined ? undefined : { file: options.onnx, names };
  const audits = await auditAll(folders, { noise: chosen, votes, seed, attributes, onnx });
  const { keepAudit } = await import('../../privacy/audit/audit-owner.ts');
  for (const audit of audits) keepAudit(home, audit);
  if (report !== undefined) await (await import('./audit-report.ts')).writeAuditReport(report, audits);
  const { verdictOf } = await import('../../privacy/audit/verdict.ts');
  const texts = audits.map((audit) => auditText(audit, verdictOf(audit)));
  if (report !== undefined) texts.push(`report: ${report}/report.html`);
  printResult({ audits: audits.map((audit) => ({ ...audit, verdict: verdictOf(audit) })) }, texts.join('\n\n'), json);
}

async function auditAll(folders: readonly string[], options: OwnerAuditOptions): Promise<OwnerAudit[]> {
  const { Engine } = await import('../../core/engine/engine.ts');
  const { auditOwner } = await import('../../privacy/audit/audit-owner.ts');
  const engine = new Engine({ threads: 1 });
  try {
    return await withProgress(async (progress) => {
      const audits: OwnerAudit[] = [];
      for (const [i, folder] of folders.entries()) {
        progress('auditing owners', i, folders.length);
        audits.push(await auditOwner(engine, folder, options));
        await new Promise(setImmediate); // Ctrl-C is noticed here.
      }
      progress('auditing owners', folders.length, folders.length);
      return audits;
    });
  } finally {
    await engine.dispose();
  }
}

const columns: TextColumn<WindowRecovery>[] = [
  { title: 'attacker', cell: ({ attacker }) => attacker },
  { title: 'pairs known', cell: ({ known, pairs }) => `${100 * known} % (${pairs})` },
  { title: "window's mean", cell: ({ mean }) => `${mean.share.toFixed(3)} ± ${mean.error.toPrecision(3)}` },
  { title: 'last reading', cell: ({ last }) => `${last.share.toFixed(3)} ± ${last.error.toPrecision(3)}` },
  { title: 'every reading', cell: ({ every }) => `${every.share.toFixed(3)} ± ${every.error.toPrecision(3)}` },
  { title: 'guessing errs by', cell: ({ every }) => every.guess.toPrecision(3) },
];

const guessColumns: TextColumn<ClassGuess>[] = [
  { title: 'what else they tell', cell: ({ name }) => name },
  { title: 'classes', cell: ({ classes }) => classes },
  ...FEW_LABELS.map((few, i) => ({
    title: `${few} known per class`,
    cell: ({ fewLabels }: ClassGuess) => fewLabels[i]?.accuracy.toFixed(3),
  })),
  { title: 'by clustering', cell: ({ clustering }) => clustering.toFixed(3) },
  { title: 'always the commonest', cell: ({ commonest }) => commonest.toFixed(3) },
];

function auditText(audit: OwnerAudit, [level, ...sentences]: string[]): string {
  const { owner, width, windowNumbers, samples, heldOut } = audit;
  const facts =
    `owner ${owner}: ${width} numbers for windows of ${windowNumbers}, ${samples} samples, judged on ${heldOut} of them` +
    `${audit.noise ? `, noise ${audit.noise.noise} × clip ${audit.noise.clip}` : ''}`;
  const notes = 'share of variance recovered, and typical error in the unit of the readings';
  const guesses = audit.classes.length > 0 ? ['', ...tableLines(guessColumns, audit.classes)] : [];
  return [facts, level, ...sentences, '', ...tableLines(columns, audit.recoveries), notes, ...guesses].join('\n');
}
