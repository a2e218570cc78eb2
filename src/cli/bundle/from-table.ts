// `f3 bundle from-csv` and `from-parquet`: make a bundle from a table with one row per sample.
import { Command } from 'commander';
import { commaList } from '../option-values.ts';
import { type BundleOptions, makeBundle, withBundleOptions } from './bundle-options.ts';

interface Options extends BundleOptions {
  idColumn: string;
  columns?: string[];
  probabilityColumns?: string[];
}

export function bundleFromCsvCommand(): Command {
  return tableCommand(
    new Command('from-csv')
      .description('make a bundle from a .csv table with one row per sample')
      .argument('<file>', '.csv, .tsv or .txt with a header'),
    `
Ids are text unless --id-type says otherwise; whether an id is text or an integer must be the same for all owners.

Examples:
  f3 bundle from-csv embeddings.csv --owner plant-7 --out plant-7.arrow
  f3 bundle from-csv wide.csv --id-column hour --columns e0,e1,e2 --probability-columns calm,rush \\
     --owner plant-7 --out plant-7.arrow`,
  );
}

export function bundleFromParquetCommand(): Command {
  return tableCommand(
    new Command('from-parquet')
      .description('make a bundle from a .parquet table with one row per sample')
      .argument('<file>', '.parquet'),
    `
An embedding is one column per number, or one column of lists, all of the same length. Ids are integers where their
column is, else text.

Examples:
  f3 bundle from-parquet embeddings.parquet --owner plant-7 --out plant-7.arrow
  f3 bundle from-parquet out.parquet --id-column id --columns embedding --probability-columns softmax \\
     --owner plant-7 --out plant-7.arrow`,
  );
}

function tableCommand(command: Command, help: string): Command {
  command
    .option('--id-column <name>', 'column of ids', 'sample')
    .option('--columns <names>', 'columns of the embedding, in order (default: all others)', commaList)
    .option('--probability-columns <names>', 'columns of class probabilities, in order of the classes', commaList);
  return withBundleOptions(command)
    .addHelpText('after', help)
    .action((file: string, options: Options) =>
      makeBundle(options, async () => {
        // DuckDB is slow to load, so it is imported only here.
        const { readEmbeddingTable } = await import('../../embed/embedding-table.ts');
        return readEmbeddingTable(file, options);
      }),
    );
}
