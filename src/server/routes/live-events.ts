// [coordinator] Lets people watch predictions as they are made, and asks why one of them came out as it did.
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { F3Error } from '../../errors.ts';
import { canonicalSampleId } from '../../exchange/bundle/canonical-time.ts';
import {
  explanationSchema,
  type LiveEvent,
  type LiveExplanation,
  MOST_PREDICTIONS_PER_EVENT,
} from '../../exchange/messages/live-events.ts';
import type { TypedApp } from '../app.ts';
import { FairQueue } from '../fair-queue.ts';
import { explainSample } from '../prediction/explain-sample.ts';
import type { FederationFeed } from '../prediction/live-feed.ts';
import type { ServerContext } from '../server-context.ts';
import { mayStillRead } from '../tokens/authenticate.ts';
import { Watchers } from '../watchers.ts';
import { federationParams } from './federations.ts';
import { sampleParams } from './live-prediction.ts';

const WATCHERS = ['operator', 'labels'] as const;
/** Events come at most this often. */
const EVENT_MS = 50;
/** A comment this often keeps proxies from closing an idle connection, and finds out whether the watcher may still read. */
const KEEP_ALIVE_MS = 5000;
/** Each watcher of a federation is looked after twenty times a second. */
const MOST_WATCHERS = 50;
/** Of all federations together; one member must not take all places of a federation. */
const WATCHER_LIMITS = { most: 500, mostPerMember: 20 };

/** So many explanations wait, in all and of one member. */
const EXPLANATIONS = { mostWaiting: 32, mostPerAsker: 4 };
const busyExplaining = () => new F3Error('F3_BUSY', 'explanations: few may wait, got too many; try again');

const querystring = z.object({ seconds: z.coerce.number().int().min(0).max(86_400).default(86_400) });

export function addLiveEvents(app: TypedApp, context: ServerContext): void {
  const { directory, models, feed } = context;
  const ending = new AbortController();
  const watchers = new Watchers('live predictions', WATCHER_LIMITS);
  app.addHook('preClose', async () => ending.abort());
  // Explanations are found one after the other, so that live predictions go on between them.
  const explanations = new FairQueue({ ...EXPLANATIONS, refusal: busyExplaining });

  app.get(
    '/v1/federations/:federation/live/events',
    { schema: { params: federationParams, querystring }, config: { allow: WATCHERS, isStream: true } },
    async (asked, reply) => {
      const { federation } = asked.params;
      await directory.federation(federation);
      const watched = feed.of(federation);
      if (watched.watchers >= MOST_WATCHERS) {
        throw new F3Error('F3_BUSY', `federation ${federation}: at most ${MOST_WATCHERS} may watch it, got another`);
      }
      const leave = watchers.enter(asked.member.id);
      const unwatch = watched.watch();
      reply.hijack();
      const headers = { 'content-type': 'text/event-stream', 'cache-control': 'no-store', connection: 'close' };
      reply.raw.writeHead(200, headers);
      try {
        await sendPredictions(watched, {
          to: reply.raw,
          seen: Number(asked.headers['last-event-id']) || 0,
          until: Date.now() + asked.query.seconds * 1000,
          mayRead: () => mayStillRead(context, asked),
          ending: ending.signal,
        });
        reply.raw.end();
      } catch (error) {
        asked.log.error({ err: error }, 'events broke off');
        reply.raw.destroy();
      } finally {
        unwatch();
        leave();
      }
    },
  );

  app.get(
    '/v1/federations/:federation/live/:sample/explanation',
    {
      schema: { params: sampleParams, response: { 200: explanationSchema } },
      config: { allow: WATCHERS, counted: 'model.questioned' },
    },
    ({ params: { federation, sample }, member }) => {
      const kept = feed.of(federation).find(canonicalSampleId(sample)) ?? feed.of(federation).find(sample);
      if (!kept) throw forgotten(sample, 'one that was not predicted here lately');
      const work = () =>
        models.ask(federation, undefined, async ({ version, model }): Promise<LiveExplanation> => {
          if (version !== kept.version)
            throw forgotten(sample, `one of model ${kept.version}, which answers no longer`);
          return explainSample({ sample, version }, model, kept.embeddings);
        });
      return explanations.run(member.id, work);
    },
  );
}

const forgotten = (sample: string, found: string) =>
  new F3Error(
    'F3_SAMPLE_UNKNOWN',
    `sample ${sample}: must be among the last that the active model predicted, got ${found}`,
  );

interface Watcher {
  to: NodeJS.WritableStream & { destroyed?: boolean; writableNeedDrain?: boolean };
  seen: number;
  until: number;
  mayRead: () => Promise<boolean>;
  ending: AbortSignal;
}

/** Sends what is new, the newest of it, until the watcher leaves or may read no longer. A slow watcher is told less. */
async function sendPredictions(
  feed: FederationFeed,
  { to, seen: before, until, mayRead, ending }: Watcher,
): Promise<void> {
  let seen = before;
  let checked = Date.now();
  to.write(': predictions follow\n\n');
  while (!to.destroyed && !ending.aborted) {
    const now = Date.now();
    if (now - checked >= KEEP_ALIVE_MS) {
      if (!(await mayRead())) return;
      checked = now;
      to.write(': still here\n\n');
    }
    if (feed.newest !== seen && !to.writableNeedDrain) {
      const event: LiveEvent = { classes: feed.classes, ...feed.since(seen, MOST_PREDICTIONS_PER_EVENT) };
      seen = feed.newest;
      if (event.predictions.length > 0) to.write(`id: ${seen}\ndata: ${JSON.stringify(event)}\n\n`);
    }
    if (now >= until) return;
    await sleep(EVENT_MS);
  }
}
