// `f3 bundle entropy`: how much the owners' own predictions disagree, as numbers and as a figure.
import { readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Command } from 'commander';
import { F3Error } from '../errors.ts';
import { type EntropySummary, labelEntropies, summariseEntropy, type Voter } from '../exchange/label-entropy.ts';
import { printResult } from './run-command.ts';
import { sparkline } from './sparkline.ts';

interface Options {
  out?: string;
  json?: boolean;
}

export function bundleEntropyCommand(): Command {
  return new Command('entropy')
    .description('entropy of the labels the local models predict, per sample: how much owners disagree')
    .argument('<bundles...>', 'bundles, or folders of them')
    .option('--out <file>', 'write the histogram as SVG')
    .option('--json', 'print one line of JSON: {samples, mean, unanimous, histogram, entropies}')
    .addHelpText(
      'after',
      `
Only bundles that carry class probabilities count. The entropy is in nats: 0 when all owners predict the same label,
log(classes) when the labels are evenly split.

Examples:
  f3 bundle entropy bundles --out entropy.svg`,
    )
    .action(runEntropy);
}

async function runEntropy(paths: string[], { out, json }: Options): Promise<void> {
  const files = paths.flatMap((path) => (isFolder(path) ? bundlesIn(path) : [path]));
  const { decodeBundle } = await import('../exchange/bundle.ts');
  const { readBundleFile } = await import('../exchange/bundle-file.ts');
  const voters: Voter[] = [];
  for (const file of files) {
    const { samples, classes, probabilities } = decodeBundle(await readBundleFile(file), file);
    if (classes && probabilities) voters.push({ samples, classes, probabilities });
  }
  if (voters.length === 0) {
    throw new F3Error(
      'F3_BUNDLE_VOTES',
      `entropy: needs bundles with probabilities, got none in ${files.length} files`,
    );
  }
  const result = labelEntropies(voters);
  const summary = summariseEntropy(result, Math.max(...voters.map(({ classes }) => classes)));
  if (out) writeFileSync(out, await entropyFigure(summary, voters.length));
  const full = { ...summary, owners: voters.length, entropies: Object.fromEntries(pairs(result)) };
  printResult(full, text(summary, voters.length, out), json);
}

function* pairs({ samples, entropies }: ReturnType<typeof labelEntropies>): Generator<[string, number]> {
  for (const [i, sample] of samples.entries()) yield [sample, entropies[i]];
}

const isFolder = (path: string) => statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
const bundlesIn = (folder: string) =>
  readdirSync(folder)
    .filter((file) => file.endsWith('.arrow'))
    .sort()
    .map((file) => join(folder, file));

function text(
  { samples, mean, unanimous, histogram }: EntropySummary,
  owners: number,
  out: string | undefined,
): string {
  const bars = sparkline(histogram.map(({ count }) => count));
  const largest = histogram.at(-1)?.to.toFixed(2);
  return [
    `${samples} samples, ${owners} owners`,
    `mean entropy ${mean.toFixed(3)} nats; all owners agree on ${(100 * unanimous).toFixed(1)} % of the samples`,
    `0 ${bars} ${largest}`,
    ...(out ? [`figure: ${out}`] : []),
  ].join('\n');
}

/** Imported on demand: the plotting library takes longer to load than the numbers to compute. */
async function entropyFigure({ histogram }: EntropySummary, owners: number): Promise<string> {
  const { svgFigure } = await import('./figure.ts');
  return svgFigure({
    title: `Disagreement of ${owners} local models`,
    width: 480,
    height: 260,
    data: { values: histogram },
    mark: { type: 'bar', binSpacing: 1 },
    encoding: {
      x: {
        field: 'from',
        bin: { binned: true },
        title: 'entropy of the predicted labels (nats)',
        type: 'quantitative',
      },
      x2: { field: 'to' },
      y: { field: 'count', type: 'quantitative', title: 'samples' },
    },
  });
}
