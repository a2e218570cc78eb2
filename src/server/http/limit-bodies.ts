// [coordinator] Limits the bytes of bodies that are held at a time, in all and per address, before any of them is read.
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { F3Error } from '../../errors.ts';
import type { ServerLimits } from '../server-limits.ts';

type BodyLimits = Pick<ServerLimits, 'bytesInFlight' | 'bytesInFlightPerAddress'>;

/** Added after authentication, so that strangers hold none of the members' bytes. */
export function limitBodies(app: FastifyInstance, { bytesInFlight, bytesInFlightPerAddress }: BodyLimits): void {
  const held = new Map<string, number>();
  let total = 0;
  app.addHook('onRequest', (request, reply, done) => {
    const bytes = announcedBytes(request);
    if (bytes === 0) return done();
    const limit = request.routeOptions.bodyLimit;
    if (bytes > limit) {
      return done(new F3Error('F3_REQUEST_SIZE', `request: body must have at most ${limit} bytes, got ${bytes}`));
    }
    const { ip } = request;
    const own = held.get(ip) ?? 0;
    if (total + bytes > bytesInFlight || own + bytes > bytesInFlightPerAddress) return done(busy());
    total += bytes;
    held.set(ip, own + bytes);
    reply.raw.once('close', () => {
      total -= bytes;
      const left = (held.get(ip) ?? bytes) - bytes;
      if (left > 0) held.set(ip, left);
      else held.delete(ip);
    });
    done();
  });
}

/** A body that does not say its length counts as the longest that its route takes. */
function announcedBytes({ headers, routeOptions }: FastifyRequest): number {
  const length = headers['content-length'];
  if (length !== undefined) return Number(length);
  return headers['transfer-encoding'] === undefined ? 0 : routeOptions.bodyLimit;
}

const busy = () => new F3Error('F3_BUSY', 'coordinator: must have room for the body, got too many at once; try again');
