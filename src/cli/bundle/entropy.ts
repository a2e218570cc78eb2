// `f3 bundle entropy`: shows how much the local models' predictions disagree, as numbers and as a figure.
import { Command } from 'commander';
import { checkFileTarget, writeWholeFile } from '../../base/whole-file.ts';
import { type EntropySummary, labelEntropies, summariseEntropy } from '../../exchange/labels/label-entropy.ts';
import { printResult } from '../run-command.ts';
import { sparkline } from '../terminal/sparkline.ts';

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
  if (out) checkFileTarget(out, true);
  const { readVoters } = await import('../../exchange/labels/read-voters.ts');
  const voters = await readVoters(paths);
  const result = labelEntropies(voters);
  const summary = summariseEntropy(result, Math.max(...voters.map(({ classes }) => classes)));
  if (out) writeWholeFile(out, await entropyFigure(summary, voters.length));
  const full = { ...summary, owners: voters.length, entropies: Object.fromEntries(pairs(result)) };
  printResult(full, text(summary, voters.length, out), json);
}

function* pairs({ samples, entropies }: ReturnType<typeof labelEntropies>): Generator<[string, number]> {
  for (const [i, sample] of samples.entries()) yield [sample, entropies[i]];
}

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

/** The plotting library is imported on demand, because it takes longer to load than the numbers take to compute. */
async function entropyFigure({ histogram: bins }: EntropySummary, owners: number): Promise<string> {
  const [{ svgFigure }, { histogram }] = await Promise.all([
    import('../../figures/svg-figure.ts'),
    import('../../figures/histogram.ts'),
  ]);
  const chart = histogram(bins, { x: 'entropy of the predicted labels (nats)' });
  return svgFigure({ ...chart, title: `Disagreement of ${owners} local models` });
}
