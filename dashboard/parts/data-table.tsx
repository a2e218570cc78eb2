// A table that sorts, filters and turns pages, so that ten thousand rows stay quick; on a phone each row is a block.
import type { ComponentChildren, JSX } from 'preact';
import { useMemo, useState } from 'preact/hooks';
import { shownCount } from '../words/numbers.ts';

export interface Column<Row> {
  name: string;
  /** What the cell shows. */
  cell(row: Row): ComponentChildren;
  /** What rows are sorted by; without it the column does not sort. */
  by?(row: Row): number | string | null | undefined;
  isNumber?: boolean;
  /** The first such column names the row. */
  isName?: boolean;
  /** A title for the heading that explains it. */
  says?: string;
}

interface DataTableProps<Row> {
  /** What the table shows, for screen readers. */
  caption: string;
  columns: Column<Row>[];
  rows: Row[];
  keyOf(row: Row): string | number;
  /** Text by which rows are found; with it there is a search field as soon as there are many rows. */
  textOf?(row: Row): string;
  /** Name of the column that sorts at first, with - before it for falling. */
  sort?: string;
  /** Marks rows that are chosen. */
  isChosen?(row: Row): boolean;
  perPage?: number;
  empty?: ComponentChildren;
}

/** Stands where there is nothing to show; on a phone such lines are left out. */
export const DASH = <span class="faint">–</span>;

const PER_PAGE = 50;
const SEARCH_FROM = 12;

export function DataTable<Row>(props: DataTableProps<Row>): JSX.Element {
  const { caption, columns, rows, keyOf, textOf, isChosen, perPage = PER_PAGE, empty } = props;
  const [sort, setSort] = useState(props.sort);
  const [wanted, setWanted] = useState('');
  const [page, setPage] = useState(0);
  const shown = useMemo(() => {
    const found = wanted && textOf ? rows.filter((row) => textOf(row).toLowerCase().includes(wanted)) : rows;
    return sorted(found, columns, sort);
  }, [rows, wanted, sort]);
  const pages = Math.max(1, Math.ceil(shown.length / perPage));
  const at = Math.min(page, pages - 1);
  const visible = shown.slice(at * perPage, (at + 1) * perPage);
  if (rows.length === 0 && empty) return <>{empty}</>;
  const turn = (name: string): void => setSort(sort === name ? `-${name}` : name);
  return (
    <div class="data-table">
      {textOf && rows.length >= SEARCH_FROM && (
        <label class="search">
          <span>Find</span>
          <input
            type="search"
            value={wanted}
            onInput={(event) => {
              setWanted(event.currentTarget.value.toLowerCase());
              setPage(0);
            }}
          />
          {wanted && <span class="faint">{shownCount(shown.length)} found</span>}
        </label>
      )}
      <table class="stacks">
        <caption>{caption}</caption>
        <thead>
          <tr>
            {columns.map(({ name, by, isNumber, says }) => (
              <th
                key={name}
                scope="col"
                class={isNumber ? 'number' : ''}
                aria-sort={by && ariaSort(sort, name)}
                title={says}
              >
                {by ? (
                  <button type="button" class="sort" onClick={() => turn(name)}>
                    {name}
                    <span aria-hidden="true">{sort === name ? ' ▴' : sort === `-${name}` ? ' ▾' : ''}</span>
                  </button>
                ) : (
                  name
                )}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {visible.map((row) => (
            <tr key={keyOf(row)} class={isChosen?.(row) ? 'chosen' : ''}>
              {columns.map(({ name, cell, isNumber, isName }) => {
                const content = cell(row);
                if (isName) {
                  return (
                    <th key={name} scope="row">
                      {content}
                    </th>
                  );
                }
                const kind = `${isNumber ? 'number' : ''}${content === DASH ? ' nothing' : ''}`;
                return (
                  <td key={name} class={kind} data-label={name}>
                    <span>{content}</span>
                  </td>
                );
              })}
            </tr>
          ))}
        </tbody>
      </table>
      {pages > 1 && (
        <div class="pages" role="group" aria-label={`Pages of the table: ${caption}`}>
          <button type="button" disabled={at === 0} onClick={() => setPage(at - 1)}>
            Back
          </button>
          <span aria-live="polite">
            {shownCount(at * perPage + 1)}–{shownCount(Math.min(shown.length, (at + 1) * perPage))} of{' '}
            {shownCount(shown.length)}
          </span>
          <button type="button" disabled={at === pages - 1} onClick={() => setPage(at + 1)}>
            Next
          </button>
        </div>
      )}
    </div>
  );
}

const ariaSort = (sort: string | undefined, name: string): 'ascending' | 'descending' | 'none' =>
  sort === name ? 'ascending' : sort === `-${name}` ? 'descending' : 'none';

/** Rows without a value come last, however it is sorted. */
function sorted<Row>(rows: Row[], columns: Column<Row>[], sort: string | undefined): Row[] {
  const name = sort?.replace(/^-/, '');
  const by = columns.find((column) => column.name === name)?.by;
  if (!by) return rows;
  const sign = sort?.startsWith('-') ? -1 : 1;
  const order = new Intl.Collator('en', { numeric: true });
  return [...rows].sort((one, other) => {
    const [a, b] = [by(one) ?? null, by(other) ?? null];
    if (a === null || b === null) return a === b ? 0 : a === null ? 1 : -1;
    return sign * (typeof a === 'number' && typeof b === 'number' ? a - b : order.compare(String(a), String(b)));
  });
}
