// `f3 model open`: shows a model of this machine in the browser, as the dashboard of a coordinator does.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Command } from 'commander';
import { readBytes } from '../../base/read-file.ts';
import { F3Error } from '../../errors.ts';
import { splitOf } from '../fuse/split-option.ts';
import { integerFrom } from '../option-values.ts';
import { printResult } from '../run-command.ts';
import { endRequested } from '../terminal/end-requested.ts';
import { openBrowser } from '../terminal/open-browser.ts';

interface Options {
  bundles?: string[];
  labels?: string;
  split?: string;
  port: number;
  /** False with --no-open. */
  open: boolean;
  json?: boolean;
}

export function modelOpenCommand(): Command {
  return new Command('open')
    .description('look at a model in the browser: its graph, alignments and scores, and what absent owners cost')
    .argument('<dir>', 'folder of the model')
    .option('--bundles <file...>', 'bundles of the owners, or a folder of them, to score the model on')
    .option('--labels <file>', 'labels (CSV or Arrow)')
    .option('--split <file or seed>', 'the split that the model was trained with; its validation part is scored')
    .option('--port <n>', 'port to listen on; 0 takes a free one', integerFrom(0, 65_535), 0)
    .option('--no-open', 'do not open the browser; the link is printed all the same')
    .option('--json', 'print the link as one line of JSON')
    .addHelpText(
      'after',
      `
The page is served to this machine alone, for one read-only session, until Ctrl-C. Nothing is written beside a temporary
folder, which goes with it. With --bundles, --labels and --split the page also shows scores, curves and what absence costs.

Examples:
  f3 model open model
  f3 model open model --bundles bundles --labels labels.csv --split split.json`,
    )
    .action(runOpen);
}

async function runOpen(dir: string, { bundles, labels, split, port, open, json }: Options): Promise<void> {
  const given = [bundles, labels, split].filter((each) => each !== undefined).length;
  if (given !== 0 && given !== 3) {
    throw new F3Error('F3_OPTION', '--bundles, --labels and --split: must be given together, got some of them');
  }
  const { readFusedCard, readFusedWeights, MODEL_WEIGHTS_FILE } = await import('../../fuse/model/model-folder.ts');
  const { openLocalModel } = await import('../../server/local-model.ts');
  const card = await readFusedCard(dir);
  await readFusedWeights(dir, card); // checks them against the card
  const weights = await readBytes(join(dir, MODEL_WEIGHTS_FILE), `model ${dir}`, 'F3_MODEL_FORMAT');
  const data =
    bundles && labels !== undefined && split !== undefined ? { bundles, labels, split: splitOf(split) } : undefined;
  // Heard from the beginning, so that Ctrl-C while the page is made ready leaves no folder behind.
  const ended = endRequested();
  const folder = mkdtempSync(join(tmpdir(), 'f3-model-'));
  try {
    const opened = await openLocalModel({ card, weights, data, folder, port });
    try {
      const url = await opened.link();
      printResult({ url }, `${url}\nshows model ${dir} until Ctrl-C; the link is good once`, json);
      if (open && process.stdout.isTTY) await openBrowser(url);
      await ended;
    } finally {
      await opened.close();
    }
  } finally {
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  }
}
