// [coordinator] POST /v1/enrol: somebody with a one-time code becomes a member and leaves its public key.
import { z } from 'zod';
import { Batches } from '../../base/batches.ts';
import { errorCode, F3Error } from '../../errors.ts';
import { readPublicKey } from '../../exchange/identity/key-pair.ts';
import { appendAudit } from '../../storage/audit.ts';
import { inTransaction } from '../../storage/database/in-transaction.ts';
import { knownCodes, redeemInvitation, unknownCode } from '../../storage/invitations.ts';
import type { TypedApp } from '../app.ts';
import { BODY_BYTES } from '../http/body-parsers.ts';
import { MinuteLimit } from '../http/minute-limit.ts';
import type { ServerContext } from '../server-context.ts';

/** Codes that are guessed at the same moment are looked up in one statement, so a flood of them costs few statements. */
const LOOK_UPS = { maxItems: 1000, maxUnderWay: 1 };

/** Wrong codes are limited by address. A right one always passes, whatever others at the same address have tried. */
export function addEnrolment(app: TypedApp, { store, limits }: ServerContext): void {
  const body = z.object({ code: z.string().min(1).max(200), publicKey: z.record(z.string(), z.unknown()) });
  const failures = new MinuteLimit(limits.wrongCodesPerMinute);
  const lookUps = new Batches((codes: string[]) => knownCodes(store.db, codes), LOOK_UPS);
  const enrol = async (code: string, publicKey: object) => {
    if (!(await lookUps.add(code))) throw unknownCode();
    const key = await readPublicKey(publicKey);
    return inTransaction(store.db, async (trx) => {
      const { member, isNew } = await redeemInvitation(trx, code, { keyId: key.id, publicKey: key.publicKey });
      const { federation, owner, role, keyId } = member;
      if (isNew)
        await appendAudit(trx, { federation, actor: owner, action: 'member.joined', details: { role, keyId } });
      return { federation, owner, role, keyId };
    });
  };
  app.post(
    '/v1/enrol',
    { schema: { body }, bodyLimit: BODY_BYTES.enrolment, config: { allow: 'public', rateLimit: false } },
    async ({ body: { code, publicKey }, ip }, reply) => {
      try {
        return await enrol(code, publicKey);
      } catch (error) {
        const seconds = errorCode(error)?.startsWith('F3_INVITATION') ? failures.note(ip) : 0;
        if (seconds === 0) throw error;
        reply.header('retry-after', seconds);
        throw new F3Error(
          'F3_RATE_LIMIT',
          `enrolment code: must be new and valid, got too many that are not from ${ip}; a valid one passes at any time`,
        );
      }
    },
  );
}
