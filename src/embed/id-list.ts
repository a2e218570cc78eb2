// [owner] A list of ids in a text file: one per line, or one column of a table with a header.
import { F3Error } from '../errors.ts';
import { readBundleFile } from '../exchange/bundle/bundle-file.ts';

/** A single column that is not headed by `column` is a plain list; anything else is a table with a header. */
export async function readIdList(file: string, column: string): Promise<string[]> {
  const text = Buffer.from(await readBundleFile(file)).toString('utf8');
  const lines = text.replace(/^\uFEFF/, '').split(/\r?\n/);
  if (lines.at(-1) === '') lines.pop();
  if (lines.length === 0) return [];
  const cells = lines[0].split(/[,;\t|]/).map((cell) => cell.trim().replace(/^"(.*)"$/, '$1'));
  if (cells.length === 1 && cells[0] !== column) return lines.map((line, i) => plainId(file, line, i + 1));
  const [{ TableFile }, { readColumn }] = await Promise.all([
    import('../base/table-file.ts'),
    import('../base/table-columns.ts'),
  ]);
  const table = await TableFile.open(file);
  try {
    return await readColumn(table, column);
  } finally {
    table.close();
  }
}

function plainId(file: string, line: string, number: number): string {
  if (line !== '' && !/["\t]/.test(line)) return line;
  const rule = 'without a header that names the id column, every line must be one plain id';
  throw new F3Error('F3_BUNDLE_ID', `${file}: ${rule}, got ${JSON.stringify(line)} (line ${number})`);
}
