// Shows how much one owner's scores owe to chance: it pre-trains the owner's model under several seeds and changes nothing
// else.
//   npx node experiments/owner-seeds.ts --data DIR --owner ID [--seeds n] [--json]
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Command } from 'commander';
import { integerFrom } from '../src/cli/option-values.ts';
import { printResult, runProgram } from '../src/cli/run-command.ts';
import { Engine } from '../src/core/engine/engine.ts';
import { openDataset } from '../src/data/dataset/dataset.ts';
import { embedOwner } from '../src/embed/embed-owner.ts';
import { paperOwnerPreset } from '../src/embed/owner-preset.ts';
import { trainOwner } from '../src/embed/train-owner.ts';
import { type Scores, scores } from '../src/fuse/scores/scores.ts';

interface SeedScores extends Scores {
  seed: number;
  validationAccuracy: number;
}

/** Scores of the owner's own predictions on the test part, under seeds 0 … seeds − 1. */
export async function ownerSeeds(dir: string, owner: string, seeds: number): Promise<SeedScores[]> {
  const { samples, labels, split, classes, owner: readOwner } = await openDataset(dir);
  await readOwner(owner); // throws and names the owners, if this is none of them
  const labelOf = new Map(samples.map((sample, i) => [sample, labels[i]]));
  const engine = new Engine({ threads: 1 });
  const folder = mkdtempSync(join(tmpdir(), 'f3-owner-seeds-'));
  const results: SeedScores[] = [];
  try {
    for (const file of ['windows.arrow', 'labels.arrow']) cpSync(join(dir, 'owners', owner, file), join(folder, file));
    for (let seed = 0; seed < seeds; seed++) {
      const { card } = await trainOwner(engine, folder, { ...paperOwnerPreset, seed });
      const { samples: seen, probabilities } = await embedOwner(engine, folder);
      const rows = seen.flatMap((sample, row) => (split.test.includes(sample) ? [row] : []));
      const own = rows.flatMap((row) => [...probabilities.subarray(row * classes.length, (row + 1) * classes.length)]);
      const truth = rows.map((row) => labelOf.get(seen[row]) as number);
      const { validationAccuracy } = card.scores;
      results.push({ seed, validationAccuracy, ...scores(own, truth, classes.length) });
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
    await engine.dispose();
  }
  return results;
}

interface OwnerSeedsOptions {
  data: string;
  owner: string;
  seeds: number;
  json?: boolean;
}

if (import.meta.main) {
  const program = new Command('owner-seeds')
    .description("pre-train one owner's model under several seeds and score each")
    .requiredOption('--data <dir>', 'data set')
    .requiredOption('--owner <id>', 'the owner whose model is trained')
    .option('--seeds <n>', 'number of seeds', integerFrom(1, 1000), 8)
    .option('--json', 'print the result as one line of JSON')
    .action(async ({ data, owner, seeds, json }: OwnerSeedsOptions) => {
      const results = await ownerSeeds(data, owner, seeds);
      const line = ({ seed, validationAccuracy, f1, auc }: SeedScores) =>
        `seed ${seed}: validation accuracy ${validationAccuracy.toFixed(4)}, test F1 ${f1.toFixed(3)}, ROC AUC ${auc.toFixed(3)}`;
      printResult(results, results.map(line).join('\n'), json);
    });
  process.exitCode = await runProgram(program, process.argv);
}
