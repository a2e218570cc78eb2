// [coordinator] An owner tells where it is, and takes it back; nobody else can do so for it.
import { z } from 'zod';
import type { Coordinates } from '../../exchange/coordinates.ts';
import { appendAudit } from '../../storage/audit.ts';
import { setCoordinates } from '../../storage/coordinates.ts';
import { inTransaction } from '../../storage/database/in-transaction.ts';
import { requireFederation } from '../../storage/federations.ts';
import { lockMember } from '../../storage/members.ts';
import type { Db, MemberRow } from '../../storage/schema.ts';
import type { TypedApp } from '../app.ts';
import type { ServerContext } from '../server-context.ts';
import { federationParams } from './federations.ts';

const OWNERS = ['owner'] as const;
const body = z.strictObject({ latitude: z.number().min(-90).max(90), longitude: z.number().min(-180).max(180) });

export function addCoordinates(app: TypedApp, { store: { db } }: ServerContext): void {
  const config = { allow: OWNERS, needsKey: true };
  const path = '/v1/federations/:federation/coordinates';
  app.put(path, { schema: { params: federationParams, body }, config }, (request) =>
    tell(db, request.params.federation, request.member, request.body),
  );
  app.delete(path, { schema: { params: federationParams }, config }, (request) =>
    tell(db, request.params.federation, request.member, null),
  );
}

/** The log says that it was told, not where: nothing is taken out of it again. */
function tell(db: Db, federation: string, { id, owner }: MemberRow, coordinates: Coordinates | null) {
  return inTransaction(db, async (trx) => {
    await requireFederation(trx, federation);
    await lockMember(trx, id);
    await setCoordinates(trx, id, coordinates);
    await appendAudit(trx, { federation, actor: owner, action: coordinates ? 'member.placed' : 'member.unplaced' });
    return { owner, coordinates };
  });
}
