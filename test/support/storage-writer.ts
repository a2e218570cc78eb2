// A process to be killed: it appends to an upload and to the audit log without end, and prints what was acknowledged.
// Usage: node storage-writer.ts '<location as JSON>' <upload id>
import { writeSync } from 'node:fs';
import { appendAudit } from '../../src/storage/audit.ts';
import { inTransaction } from '../../src/storage/database/in-transaction.ts';
import { openDatabase } from '../../src/storage/database/open-database.ts';
import { appendToUpload } from '../../src/storage/uploads.ts';

const [location, upload] = process.argv.slice(2);
const { db } = await openDatabase(JSON.parse(location));
// A piece is longer than a chunk, so that a kill may come between its rows.
const piece = Buffer.alloc(1_300_000);
for (let offset = 0; ; offset += piece.length) {
  piece.fill(offset / piece.length);
  const received = await inTransaction(db, async (trx) => {
    await appendAudit(trx, { federation: null, actor: 'writer', action: 'append', details: { offset } });
    return appendToUpload(trx, upload, offset, piece);
  });
  writeSync(1, `${received}\n`);
}
