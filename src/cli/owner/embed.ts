// `f3 owner embed`: freezes the local model, embeds every window and writes the bundle that an owner sends.
import { mkdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import { Command } from 'commander';
import type { OnnxNames } from '../../embed/onnx/onnx-model.ts';
import { F3Error } from '../../errors.ts';
import type { Bundle } from '../../exchange/bundle/bundle.ts';
import { printResult } from '../run-command.ts';
import { withProgress } from '../terminal/progress.ts';
import { type OwnerChoice, ownerFolders } from './owner-folders.ts';

interface Options extends OwnerChoice, OnnxNames {
  out: string;
  /** False with --no-votes. */
  votes: boolean;
  onnx?: string;
  force?: boolean;
  json?: boolean;
}

export function embedCommand(): Command {
  return new Command('embed')
    .description('embed every window with the frozen local model and write the bundle to send')
    .argument('<dir>', 'data set')
    .requiredOption('--out <dir>', 'folder for the bundles, <owner>.arrow each')
    .option('--owner <id...>', 'embed these owners')
    .option('--all', 'embed every owner')
    .option('--no-votes', "withhold the local model's class probabilities")
    .option('--onnx <file>', 'use a model trained elsewhere instead of the one f3 trained')
    .option('--embedding <name>', "the ONNX model's output that is the embedding (default: embedding)")
    .option('--probabilities <name>', "the ONNX model's output of class probabilities, if it has one")
    .option('--logits <name>', 'instead: an output that a softmax turns into class probabilities')
    .option('--force', 'replace bundles that exist')
    .option('--json', 'print one line of JSON')
    .addHelpText(
      'after',
      `
A bundle holds sample ids, embeddings and, unless withheld, the local model's class probabilities: no readings, no
weights, no labels. Look at it with f3 bundle check.

Examples:
  f3 owner embed data/metr-la --all --out bundles
  f3 owner embed data/plant --owner plant-7 --out bundles --no-votes
  f3 owner embed data/plant --owner plant-7 --out bundles --onnx model.onnx --embedding hidden`,
    )
    .action(runEmbed);
}

async function runEmbed(dir: string, options: Options): Promise<void> {
  const folders = ownerFolders(dir, options);
  if (options.onnx && folders.length !== 1) {
    throw new F3Error('F3_OPTION', `--onnx: must be for one owner, got ${folders.length}`);
  }
  const { checkBundleTarget } = await import('../../exchange/bundle/bundle-file.ts');
  const targets = folders.map((folder) => join(options.out, `${basename(folder)}.arrow`));
  mkdirSync(options.out, { recursive: true });
  for (const target of targets) checkBundleTarget(target, options.force ?? false);
  const bundles = await withProgress((progress) => writeAll(folders, targets, options, progress));
  const bytes = bundles.reduce((sum, bundle) => sum + bundle.bytes, 0);
  const megabytes = (bytes / 1e6).toFixed(1);
  const text = `${options.out}: ${bundles.length} bundles, ${megabytes} MB to send, once`;
  printResult({ bundles, bytes }, text, options.json);
}

type Listener = Parameters<Parameters<typeof withProgress>[0]>[0];

async function writeAll(folders: string[], targets: string[], options: Options, progress: Listener) {
  const { Engine } = await import('../../core/engine/engine.ts');
  const { embedOwner } = await import('../../embed/embed-owner.ts');
  const { embedWithOnnx } = await import('../../embed/onnx/embed-with-onnx.ts');
  const { writeBundle } = await import('../../exchange/bundle/bundle-file.ts');
  const engine = new Engine({ threads: 1 });
  const created = new Date().toISOString();
  const written: { owner: string; file: string; samples: number; width: number; bytes: number }[] = [];
  try {
    for (const [i, folder] of folders.entries()) {
      const embedded = options.onnx
        ? await embedWithOnnx(folder, options.onnx, options)
        : await embedOwner(engine, folder);
      const { probabilities, classes, ...rest } = embedded;
      const votes = options.votes && probabilities && classes ? { probabilities, classes } : {};
      const bundle: Bundle = { ...rest, ...votes, sampleType: 'text', created };
      const { bytes } = writeBundle(targets[i], bundle, { overwrite: options.force ?? false });
      const { owner, samples, width } = bundle;
      written.push({ owner, file: targets[i], samples: samples.length, width, bytes: bytes.length });
      progress('embedding owners', i + 1, folders.length);
      await new Promise(setImmediate); // Ctrl-C is noticed here.
    }
  } finally {
    await engine.dispose();
  }
  return written;
}
