// `f3 data info`: shows what a data set holds, owner by owner.
import { Command } from 'commander';
import type { DatasetInfo, OwnerInfo } from '../../data/dataset/dataset-info.ts';
import { printResult } from '../run-command.ts';
import { withProgress } from '../terminal/progress.ts';
import { sparkline } from '../terminal/sparkline.ts';

const OWNERS_SHOWN = 20;

export function infoCommand(): Command {
  return new Command('info')
    .description('show owners, samples, classes, missing windows and the mean signal of each owner')
    .argument('<dir>', 'directory of the data set')
    .option('--all', `list every owner, not the first ${OWNERS_SHOWN}; with --json, add perOwner`)
    .option('--json', 'print one line of JSON: {owners, samples, classes: [counts], missing, …}')
    .addHelpText(
      'after',
      `
Missing is the share of owner–sample pairs without a window. The sparkline is the owner's mean window: its first
variate over time, or all variates where a window has one step.

Examples:
  f3 data info data/metr-la
  f3 data info data/metr-la --json`,
    )
    .action(runInfo);
}

async function runInfo(dir: string, { all, json }: { all?: boolean; json?: boolean }): Promise<void> {
  const { describeDataset } = await import('../../data/dataset/dataset-info.ts');
  const info = await withProgress((progress) => describeDataset(dir, progress));
  const { perOwner, ...summary } = info;
  printResult(all ? { ...summary, perOwner } : summary, infoText(info, all ?? false), json);
}

function infoText(info: DatasetInfo, all: boolean): string {
  const { name, owners, samples, classes, classNames, missing, zeros, split, perOwner } = info;
  const counts = classNames.map((label, i) => `${label} ${classes[i]} (${percent(classes[i] / samples)})`);
  const facts = [
    `${name}${info.simulated ? ' (simulated)' : ''}`,
    `owners    ${owners}${info.graph ? ', with a given graph' : ''}`,
    `samples   ${samples}: train ${split.train}, validation ${split.validation}, test ${split.test}`,
    `classes   ${counts.join(', ')}`,
    `missing   ${percent(missing)} of windows; ${percent(zeros)} of readings are 0`,
    '',
  ];
  const shown = all ? perOwner : perOwner.slice(0, OWNERS_SHOWN);
  const hidden = perOwner.length - shown.length;
  const more = hidden > 0 ? [`… ${hidden} more owners (--all shows them)`] : [];
  return [...facts, ...ownerTable(shown), ...more].join('\n');
}

function ownerTable(owners: readonly OwnerInfo[]): string[] {
  const head = ['owner', 'windows', 'missing', 'steps', 'rate', 'variates', 'mean', 'signal'];
  const rows = owners.map(({ id, windows, missing, length, rate, variates, meanSignal }) => {
    const names = variates.length > 3 ? `${variates.length} (${variates[0]} …)` : variates.join(',');
    const mean = meanSignal.reduce((sum, value) => sum + value, 0) / meanSignal.length;
    const cells = [id, windows, percent(missing), length, rate, names, mean.toPrecision(4), sparkline(meanSignal)];
    return cells.map(String);
  });
  const widths = head.map((_, c) => Math.max(...[head, ...rows].map((row) => row[c].length)));
  return [head, ...rows].map((row) =>
    row
      .map((cell, c) => cell.padEnd(widths[c]))
      .join('  ')
      .trimEnd(),
  );
}

const percent = (share: number): string => `${(100 * share).toFixed(1)} %`;
