// [coordinator] POST /v1/backups: writes a backup into the coordinator's own data folder while it runs. Nothing of it is sent.
import { mkdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import { appendAudit } from '../../storage/audit.ts';
import { writeBackup } from '../../storage/backup/write-backup.ts';
import type { TypedApp } from '../app.ts';
import type { ServerContext } from '../server-context.ts';

const OPERATORS = ['operator'] as const;

export function addBackups(app: TypedApp, { store: { db }, data }: ServerContext): void {
  /** One at a time: two would only take turns at the same disk. */
  let last: Promise<unknown> = Promise.resolve();

  app.post('/v1/backups', { config: { allow: OPERATORS, needsKey: true } }, ({ member }) => {
    const made = last
      .catch(() => undefined)
      .then(async () => {
        const folder = join(data, 'backups');
        mkdirSync(folder, { recursive: true, mode: 0o700 });
        const name = `f3-${new Date().toISOString().replaceAll(/[:.]/g, '-')}.backup`;
        const { file, bytes, sha256 } = await writeBackup(db, { data, file: join(folder, name) });
        const details = { file: basename(file), bytes, sha256 };
        await appendAudit(db, { federation: null, actor: member.owner, action: 'backup.made', details });
        return { file, bytes, sha256 };
      });
    last = made;
    return made;
  });
}
