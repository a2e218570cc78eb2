// [owner] A table with one row per owner and time: checks its columns and hands out its owners one after the other.

import { columnSql } from '../../base/table-columns.ts';
import { sqlText, TableFile } from '../../base/table-file.ts';
import { F3Error } from '../../errors.ts';
import { clockTime, zonedTime } from './clock-time.ts';
import { chooseClasses } from './label-classes.ts';

/** Which column of a long table says what. */
export interface LongTableColumns {
  ownerColumn: string;
  timeColumn: string;
  valueColumns: string[];
  labelColumn: string;
}

/** Unit of a time column of numbers. */
export type TimeUnit = 's' | 'ms' | 'us' | 'ns';

/** All rows of one owner, in the order of the file. */
export interface OwnerRecord {
  id: string;
  /** [row]: seconds since the epoch, or since the zero from which the table's numbers count */
  times: Float64Array;
  /** Value columns in which this owner has readings. */
  variates: string[];
  /** [row, variate] */
  values: Float32Array;
  /** [row]: index into the table's classes */
  labels: Int32Array;
}

interface LongTableOptions extends LongTableColumns {
  file: string;
  timeUnit: TimeUnit;
  classes?: string[];
}

const TICKS_PER_SECOND: Record<TimeUnit, number> = { s: 1, ms: 1e3, us: 1e6, ns: 1e9 };
const NUMBER_TYPE = /INT|DECIMAL|FLOAT|DOUBLE|REAL/;

export class LongTable {
  readonly #table: TableFile;
  readonly #valueColumns: readonly string[];
  /** Owners in the order in which they first appear. */
  readonly owners: readonly string[];
  readonly classes: readonly string[];
  /** Writes seconds as the table writes times: as clock times, or as numbers in its unit. */
  readonly formatTime: (seconds: number) => string;

  private constructor(
    table: TableFile,
    valueColumns: readonly string[],
    owners: readonly string[],
    classes: readonly string[],
    formatTime: (seconds: number) => string,
  ) {
    this.#table = table;
    this.#valueColumns = valueColumns;
    this.owners = owners;
    this.classes = classes;
    this.formatTime = formatTime;
  }

  /** Loads the named columns into DuckDB, which moves to disk what does not fit in memory. */
  static async open(options: LongTableOptions): Promise<LongTable> {
    const table = await TableFile.open(options.file);
    try {
      const { ownerColumn, timeColumn, valueColumns, labelColumn } = options;
      const [owner, label] = [ownerColumn, labelColumn].map((name) => columnSql(table, name));
      const time = await timeExpression(table, timeColumn, options.timeUnit);
      const values = valueColumns.map((name, i) => `${numberExpression(table, name)} AS v${i}`);
      await table.rows(
        `CREATE TEMP TABLE readings AS SELECT ${owner}::VARCHAR AS owner, ${time.sql} AS time,
           ${label}::VARCHAR AS label, ${values.join(', ')} FROM ${table.relation}`,
      );
      await checkCells(table, options);
      await table.rows(
        `CREATE TEMP TABLE owners AS SELECT owner, row_number() OVER (ORDER BY min(rowid)) AS position
           FROM readings GROUP BY owner`,
      );
      const owners = (await table.rows('SELECT owner FROM owners ORDER BY position')).map(([id]) => String(id));
      const labels = (await table.rows('SELECT DISTINCT label FROM readings')).map(([label]) => String(label));
      const classes = chooseClasses(labels, options.classes, `${table.file}: column ${labelColumn}`);
      return new LongTable(table, valueColumns, owners, classes, time.format);
    } catch (error) {
      table.close();
      throw error;
    }
  }

  async *records(): AsyncGenerator<OwnerRecord> {
    const classes = `[${this.classes.map(sqlText).join(', ')}]`;
    const values = this.#valueColumns.map((_, i) => `coalesce(v${i}, 'nan'::DOUBLE)`).join(', ');
    const query = `SELECT position::INTEGER, time, list_position(${classes}, label), ${values}
      FROM readings JOIN owners USING (owner) ORDER BY position, readings.rowid`;
    const width = this.#valueColumns.length;
    let position = 1;
    let rows: number[][] = Array.from({ length: 2 + width }, () => []);
    for await (const chunk of this.#table.chunks(query)) {
      const positions = chunk.getColumnValues(0) as number[];
      const columns = rows.map((_, c) => chunk.getColumnValues(c + 1) as number[]);
      for (const [row, next] of positions.entries()) {
        if (next !== position) {
          yield this.#record(position, rows);
          rows = rows.map(() => []);
          position = next;
        }
        for (const [c, column] of columns.entries()) rows[c].push(column[row]);
      }
    }
    if (rows[0].length > 0) yield this.#record(position, rows);
  }

  #record(position: number, [times, labels, ...columns]: number[][]): OwnerRecord {
    const id = this.owners[position - 1];
    // A column that an owner never fills is no variate of this owner.
    const filled = columns.flatMap((column, c) => (column.every(Number.isNaN) ? [] : [c]));
    const values = new Float32Array(times.length * filled.length);
    for (const [variate, c] of filled.entries()) {
      for (const [row, value] of columns[c].entries()) {
        if (!Number.isFinite(value)) throw this.#notFinite(id, this.#valueColumns[c], times[row], value);
        values[row * filled.length + variate] = value;
      }
    }
    const variates = filled.map((c) => this.#valueColumns[c]);
    return { id, times: Float64Array.from(times), variates, values, labels: Int32Array.from(labels, (l) => l - 1) };
  }

  #notFinite(owner: string, column: string, seconds: number, value: number): F3Error {
    const found = `${Number.isNaN(value) ? 'NaN or an empty cell' : value} (${column} at ${this.formatTime(seconds)})`;
    return new F3Error('F3_DATA_NOT_FINITE', `owner ${owner}: readings must be finite numbers, got ${found}`);
  }

  close(): void {
    this.#table.close();
  }
}

const typeOf = (table: TableFile, sql: string): string => table.columns[Number(sql.slice(1))].type;

function numberExpression(table: TableFile, name: string): string {
  const sql = columnSql(table, name);
  const type = typeOf(table, sql);
  if (type === 'VARCHAR' || NUMBER_TYPE.test(type)) return `try_cast(${sql} AS DOUBLE)`;
  throw columnError(table.file, name, 'must hold numbers', type);
}

/** How to read the time column. A column of text holds numbers or clock times, as its first value does. */
async function timeExpression(
  table: TableFile,
  name: string,
  unit: TimeUnit,
): Promise<{ sql: string; format: (seconds: number) => string }> {
  const sql = columnSql(table, name);
  const type = typeOf(table, sql);
  const first = `SELECT try_cast(${sql} AS DOUBLE) FROM ${table.relation} WHERE ${sql} IS NOT NULL LIMIT 1`;
  const startsWithNumber = type === 'VARCHAR' && typeof (await table.rows(first))[0]?.[0] === 'number';
  if (NUMBER_TYPE.test(type) || startsWithNumber) {
    const ticks = TICKS_PER_SECOND[unit];
    const format = (seconds: number) => String(Number((seconds * ticks).toPrecision(15)));
    return { sql: `try_cast(${sql} AS DOUBLE) / ${ticks}`, format };
  }
  if (type === 'VARCHAR') {
    // DuckDB reads a zone only where the type has one, and drops it otherwise.
    const isZoned = await hasZones(table, name, sql);
    const time = `try_cast(${sql} AS ${isZoned ? 'TIMESTAMPTZ' : 'TIMESTAMP'})`;
    return { sql: `epoch_us(${time})::DOUBLE / 1e6`, format: isZoned ? zonedTime : clockTime };
  }
  if (/^(TIMESTAMP|DATE)/.test(type)) {
    const format = type === 'TIMESTAMP WITH TIME ZONE' ? zonedTime : clockTime;
    return { sql: `epoch_us(${sql})::DOUBLE / 1e6`, format };
  }
  throw columnError(table.file, name, 'must hold timestamps or numbers', type);
}

/** Whether the times of a column of text have a zone: all or none, since those without could mean any. */
async function hasZones(table: TableFile, name: string, sql: string): Promise<boolean> {
  const isZoned = `regexp_matches(trim(${sql}), '([zZ]|UTC|GMT|:\\d\\d(\\.\\d+)? ?[+-]\\d\\d(:?\\d\\d)?)$')`;
  const times = `FROM ${table.relation} WHERE try_cast(${sql} AS TIMESTAMP) IS NOT NULL`;
  const [[zoned, unzoned]] = await table.rows(
    `SELECT any_value(${sql}) FILTER (${isZoned}), any_value(${sql}) FILTER (NOT ${isZoned}) ${times}`,
  );
  if (zoned === null || unzoned === null) return zoned !== null;
  throw columnError(table.file, name, 'must have a zone in all of its times or in none', `${unzoned} and ${zoned}`);
}

/** Checks that every row has an owner, a time and a label, and that value columns hold numbers. */
async function checkCells(table: TableFile, options: LongTableOptions): Promise<void> {
  const { ownerColumn, timeColumn, labelColumn, valueColumns } = options;
  const required = { owner: ownerColumn, time: timeColumn, label: labelColumn };
  for (const [name, original] of Object.entries(required)) {
    const [empty] = await table.rows(`SELECT rowid FROM readings WHERE ${name} IS NULL ORDER BY rowid LIMIT 1`);
    if (!empty) continue;
    const cell = await table.rows(
      `SELECT ${columnSql(table, original)} FROM ${table.relation} LIMIT 1 OFFSET ${empty[0]}`,
    );
    const rule = name === 'time' ? 'must hold a time in every row' : 'must have a value in every row';
    const found = `${JSON.stringify(cell[0][0])} (row ${Number(empty[0]) + 1})`;
    const code = name === 'label' ? 'F3_DATA_LABEL' : 'F3_DATA_COLUMN';
    throw new F3Error(code, `${table.file}: column ${original} ${rule}, got ${found}`);
  }
  for (const [i, name] of valueColumns.entries()) {
    const [[nulls]] = await table.rows(`SELECT count(*) FROM readings WHERE v${i} IS NULL`);
    if (nulls === 0n) continue;
    const sql = columnSql(table, name);
    const where = `${sql} IS NOT NULL AND try_cast(${sql} AS DOUBLE) IS NULL`;
    const [bad] = await table.rows(`SELECT ${sql} FROM ${table.relation} WHERE ${where} LIMIT 1`);
    if (!bad) continue;
    const found = JSON.stringify(bad[0]);
    throw new F3Error('F3_DATA_NOT_FINITE', `${table.file}: column ${name} must hold numbers, got ${found}`);
  }
}

const columnError = (file: string, name: string, rule: string, value: string): F3Error =>
  new F3Error('F3_DATA_COLUMN', `${file}: column ${name} ${rule}, got ${value}`);
