// `f3 bundle from-npy`: makes a bundle from NumPy arrays.
import { Command } from 'commander';
import { type BundleOptions, makeBundle, withBundleOptions } from './bundle-options.ts';

interface Options extends BundleOptions {
  ids: string;
  idColumn: string;
  probabilities?: string;
}

export function bundleFromNpyCommand(): Command {
  const command = new Command('from-npy')
    .description('make a bundle from a .npy array of embeddings')
    .argument('<file>', '.npy of shape (samples, width), float16, float32 or float64')
    .requiredOption('--ids <file>', "ids in the array's order: one per line, a .csv with a header, or a .npy")
    .option('--id-column <name>', 'column of ids in the .csv', 'sample')
    .option('--probabilities <file>', '.npy of shape (samples, classes)');
  return withBundleOptions(command)
    .addHelpText(
      'after',
      `
Numbers are stored as float32. Ids from a text file are text unless --id-type says otherwise; whether an id is text or
an integer must be the same for all owners.

Examples:
  f3 bundle from-npy embeddings.npy --ids ids.csv --owner plant-7 --out plant-7.arrow
  f3 bundle from-npy embeddings.npy --ids ids.npy --probabilities softmax.npy --owner plant-7 --out plant-7.arrow`,
    )
    .action((file: string, options: Options) =>
      makeBundle(options, async () => {
        const { readEmbeddingArrays } = await import('../../embed/embedding-arrays.ts');
        return readEmbeddingArrays(file, options);
      }),
    );
}
