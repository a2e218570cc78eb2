// `f3 bundle check`: shows what bundles hold, what is wrong with them and what looks suspicious.
import { Command } from 'commander';
import { errorCode, F3Error } from '../../errors.ts';
import { appliedPrivacy, privacyWords } from '../../exchange/bundle/applied-privacy.ts';
import type { Bundle } from '../../exchange/bundle/bundle.ts';
import type { BundleFinding } from '../../exchange/bundle/check-bundle.ts';
import { type ColumnRange, columnRanges } from '../../exchange/bundle/column-ranges.ts';
import { printResult } from '../run-command.ts';

interface CheckedFile {
  file: string;
  /** SHA-256; undefined for a file that could not be read. */
  hash?: string;
  bundle?: Bundle;
  findings: BundleFinding[];
}

const COLUMNS_SHOWN = 16;

export function bundleCheckCommand(): Command {
  return new Command('check')
    .description('look for NaN, duplicates, constant columns, unusual ids; exit 2 when something is wrong')
    .argument('<file...>', 'bundles; several are also compared with each other')
    .option('--all', `show every column, not the first ${COLUMNS_SHOWN}`)
    .option('--json', 'print one line of JSON: {bundles: [{file, owner, samples, …, findings}], together}')
    .addHelpText(
      'after',
      `
Errors keep a bundle from being accepted: NaN or infinite values, a sample twice, no samples, probabilities that do not
sum to 1, a broken file. Warnings do not: columns that never change, rows that are all zero, values beyond ±10000,
integer ids. Several bundles must agree on the type of ids and on the number of classes.

Examples:
  f3 bundle check plant-7.arrow
  f3 bundle check bundles/*.arrow --json`,
    )
    .action(runCheck);
}

async function runCheck(files: string[], { all, json }: { all?: boolean; json?: boolean }): Promise<void> {
  const { compareBundles } = await import('../../exchange/bundle/compare-bundles.ts');
  const checked: CheckedFile[] = [];
  for (const file of files) checked.push(await checkFile(file));
  const together = compareBundles(checked.flatMap(({ bundle }) => bundle ?? []));
  const text = [...checked.map((entry) => fileText(entry, all ?? false)), ...together.map(findingText)].join('\n');
  printResult({ bundles: checked.map(fileJson), together }, text, json);
  const broken = checked.filter(({ findings }) => hasError(findings)).length;
  if (broken === 0 && !hasError(together)) return;
  const found = broken > 0 ? `${broken} of ${files.length} with errors` : 'bundles that do not fit together';
  throw new F3Error('F3_BUNDLE_UNSOUND', `bundles must be free of errors, got ${found}`);
}

async function checkFile(file: string): Promise<CheckedFile> {
  const { bundleHash, decodeBundle } = await import('../../exchange/bundle/bundle.ts');
  const { readBundleFile } = await import('../../exchange/bundle/bundle-file.ts');
  const { checkBundle } = await import('../../exchange/bundle/check-bundle.ts');
  let hash: string | undefined;
  try {
    const bytes = await readBundleFile(file);
    hash = bundleHash(bytes);
    const bundle = decodeBundle(bytes, file);
    return { file, hash, bundle, findings: checkBundle(bundle) };
  } catch (error) {
    const code = errorCode(error);
    if (!code) throw error;
    return { file, ...(hash && { hash }), findings: [{ level: 'error', code, message: (error as Error).message }] };
  }
}

function fileJson({ file, hash, bundle, findings }: CheckedFile): Record<string, unknown> {
  if (!bundle) return { file, hash, findings };
  const { samples, embeddings, probabilities: _, ...facts } = bundle;
  const columns = columnRanges(embeddings, bundle.width);
  return { file, hash, ...facts, samples: samples.length, columns, findings };
}

function fileText({ file, hash, bundle, findings }: CheckedFile, all: boolean): string {
  const lines = [file];
  if (bundle) {
    const { owner, samples, sampleType, width, classes, model, objective, created, embeddings } = bundle;
    const range = samples.length > 0 ? `: ${samples[0]} … ${samples.at(-1)}` : '';
    lines.push(
      `  owner    ${owner}`,
      `  samples  ${samples.length}, ids are ${sampleType}${range}`,
      `  width    ${width}`,
      `  votes    ${classes ? `probabilities of ${classes} classes` : 'withheld'}`,
      `  model    ${model ?? 'not stated'}${objective === undefined ? '' : `, trained for ${objective}`}`,
      `  created  ${created ?? 'not stated'}`,
      `  privacy  ${privacyWords(appliedPrivacy(bundle))}`,
      `  sha256   ${hash}`,
      ...rangeTable(columnRanges(embeddings, width), all),
    );
  }
  return [...lines, ...findings.map((finding) => `  ${findingText(finding)}`), ''].join('\n');
}

function rangeTable(ranges: ColumnRange[], all: boolean): string[] {
  const shown = all ? ranges : ranges.slice(0, COLUMNS_SHOWN);
  const row = (...cells: string[]) =>
    `  ${cells
      .map((cell) => cell.padStart(11))
      .join('')
      .slice(5)}`;
  const rows = shown.map(({ min, mean, max }, column) => row(String(column), short(min), short(mean), short(max)));
  const hidden = ranges.length - shown.length;
  return [
    row('column', 'min', 'mean', 'max'),
    ...rows,
    ...(hidden > 0 ? [`  … ${hidden} more (--all shows them)`] : []),
  ];
}

const short = (value: number): string => String(Number(value.toPrecision(4)));
const findingText = ({ level, code, message }: BundleFinding): string => `${level}: ${message} [${code}]`;
const hasError = (findings: readonly BundleFinding[]): boolean => findings.some(({ level }) => level === 'error');
