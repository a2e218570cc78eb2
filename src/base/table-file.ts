// A CSV or Parquet file as a DuckDB relation whose columns are called c0, c1, … whatever their real names.
import { randomUUID } from 'node:crypto';
import { open } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { extname, join } from 'node:path';
import type { DuckDBConnection, DuckDBDataChunk, DuckDBInstance, DuckDBValue } from '@duckdb/node-api';
import { F3Error } from '../errors.ts';
import { unreadable } from './read-file.ts';

export interface TableColumn {
  name: string;
  /** DuckDB's type; VARCHAR for every column of a CSV file. */
  type: string;
}

/**
 * Extensions are never fetched: the file is on this machine and so is everything that reads it. What does not fit into memory goes to
 * a folder that DuckDB makes when it needs it, and removes with all that is in it, so no two may have the same.
 */
const configuration = () => ({
  autoinstall_known_extensions: 'false',
  autoload_known_extensions: 'false',
  temp_directory: join(tmpdir(), `f3-duckdb-${randomUUID()}`),
});

export class TableFile {
  readonly file: string;
  readonly columns: readonly TableColumn[];
  /** What a query selects from. */
  readonly relation: string;
  readonly #instance: DuckDBInstance;
  readonly #connection: DuckDBConnection;

  private constructor(
    file: string,
    columns: readonly TableColumn[],
    relation: string,
    instance: DuckDBInstance,
    connection: DuckDBConnection,
  ) {
    this.file = file;
    this.columns = columns;
    this.relation = relation;
    this.#instance = instance;
    this.#connection = connection;
  }

  /** The end of the name tells the format: .parquet, or .csv, .tsv and .txt with a header. */
  static async open(file: string): Promise<TableFile> {
    const extension = extname(file).toLowerCase();
    const header = await firstLine(file);
    const { DuckDBInstance } = await import('@duckdb/node-api'); // it is native and large, so only whoever reads tables pays for it
    const instance = await DuckDBInstance.create(':memory:', configuration());
    const connection = await instance.connect();
    if (extension === '.parquet') {
      const source = `read_parquet(${sqlText(globEscape(file))})`;
      const described = await runQuery(connection, file, `DESCRIBE SELECT * FROM ${source}`);
      const columns = described.map(([name, type]) => ({ name: String(name), type: String(type) }));
      const renamed = columns.map((_, i) => `c${i}`).join(', ');
      return new TableFile(file, columns, `${source} AS source(${renamed})`, instance, connection);
    }
    if (!['.csv', '.tsv', '.txt'].includes(extension)) {
      throw new F3Error('F3_DATA_UNREADABLE', `${file}: must end in .parquet, .csv, .tsv or .txt, got ${extension}`);
    }
    const delimiter = guessDelimiter(header);
    const columns = splitHeader(header, delimiter).map((name) => ({ name, type: 'VARCHAR' }));
    const types = columns.map((_, i) => `c${i}: 'VARCHAR'`).join(', ');
    // Without detection a short or long line is an error, where the detector would skip it.
    const options = `auto_detect = false, header = true, delim = ${sqlText(delimiter)}, quote = '"', escape = '"'`;
    const source = `read_csv(${sqlText(globEscape(file))}, ${options}, columns = {${types}})`;
    return new TableFile(file, columns, source, instance, connection);
  }

  /** All rows of a query. */
  rows(sql: string): Promise<DuckDBValue[][]> {
    return runQuery(this.#connection, this.file, sql);
  }

  /** A query's result in pieces of about 2000 rows. */
  async *chunks(sql: string): AsyncGenerator<DuckDBDataChunk> {
    try {
      for await (const chunk of await this.#connection.stream(sql)) yield chunk;
    } catch (cause) {
      throw queryError(this.file, cause);
    }
  }

  close(): void {
    this.#connection.closeSync();
    this.#instance.closeSync();
  }
}

export const sqlText = (text: string): string => `'${text.replaceAll("'", "''")}'`;

async function runQuery(connection: DuckDBConnection, file: string, sql: string): Promise<DuckDBValue[][]> {
  try {
    return (await connection.runAndReadAll(sql)).getRows();
  } catch (cause) {
    throw queryError(file, cause);
  }
}

/** DuckDB says what is wrong in its first lines; then come hints about its own options and the query. */
function queryError(file: string, cause: unknown): unknown {
  if (cause instanceof F3Error) return cause;
  const [facts] = (cause as Error).message.split(/\nPossible|\n\s*\n|\nLINE/);
  const reason = facts.replace(/^[\w ]+ Error: /, '').replaceAll(/\s*\n\s*/g, '; ');
  return unreadable(file, new Error(reason), 'must be readable as a table');
}

async function firstLine(file: string): Promise<string> {
  try {
    await using handle = await open(file);
    const { value = '' } = await handle.readLines({ autoClose: false })[Symbol.asyncIterator]().next();
    return value as string;
  } catch (cause) {
    throw unreadable(file, cause);
  }
}

function guessDelimiter(header: string): string {
  const count = (delimiter: string) => header.split(delimiter).length;
  return [',', ';', '\t', '|'].reduce((best, next) => (count(next) > count(best) ? next : best));
}

/** Cells of a CSV line; quotes may enclose delimiters and doubled quotes. */
function splitHeader(line: string, delimiter: string): string[] {
  const cells = [''];
  let quoted = false;
  for (const character of line.replace(/^\uFEFF/, '')) {
    if (character === '"') quoted = !quoted;
    if (character === delimiter && !quoted) cells.push('');
    else cells[cells.length - 1] += character;
  }
  return cells.map((cell) =>
    cell
      .trim()
      .replace(/^"(.*)"$/, '$1')
      .replaceAll('""', '"'),
  );
}

/** DuckDB reads * ? [ in a file name as a pattern. */
const globEscape = (file: string): string => file.replaceAll(/[*?[]/g, '[$&]');
