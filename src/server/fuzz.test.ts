// Whatever comes in, on any route, the coordinator answers with a code of its own: never a 500, never a crash.
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { FederationScene, LABEL_HOLDER, OWNERS, SAMPLES, WIDTH } from '../../test/support/federation-scene.ts';
import { FuzzCorpus } from '../../test/support/fuzz-corpus.ts';
import { type PostgresServer, postgresMissing, startPostgres } from '../../test/support/postgres-server.ts';
import fc, { FUZZ_SEED, wholeNumber } from '../../test/support/seeded-fast-check.ts';
import { suiteDirectory } from '../../test/support/temporary-directory.ts';
import { toyBundle } from '../../test/support/toy-bundles.ts';
import { unless } from '../../test/support/unless.ts';
import { encodeArrow, floatListColumn, textColumn } from '../base/arrow-table.ts';
import { encodeBundle } from '../exchange/bundle/bundle.ts';

/** Requests on each database: ten thousand in all. More, or fewer, with F3_FUZZ_RUNS. */
const RUNS = wholeNumber('F3_FUZZ_RUNS', 5000);
/** The requests on each database end after so many minutes; 0 for no such end. */
const MINUTES = wholeNumber('F3_FUZZ_MINUTES', 0);
const DATABASES = { embedded: 'embedded', postgres: 'PostgreSQL' };
/** The databases that are asked; one of them alone with F3_FUZZ_DATABASE. */
const ASKED = Object.entries(DATABASES).filter(([name]) =>
  [name, 'both'].includes(process.env.F3_FUZZ_DATABASE ?? 'both'),
);
/** A run of a million requests takes hours. */
const TIMEOUT_MS = 1_800_000 + 100 * RUNS;
/** So many requests are under way together: one alone spends most of its time waiting for threads. More would fill queues. */
const AT_ONCE = 12;
/** Requests that are drawn together. */
const BATCH = Math.max(1, Math.min(RUNS, 250));
/** A bundle takes as long as a hundred requests. */
const BUNDLES = Math.ceil(RUNS / 150);

const row = [0.1, 0.2, 0.3, 0.4];
const input = { name: 'owner-0', shape: [1, WIDTH], datatype: 'FP32', data: row };
/** Bodies that pass, each a starting point for many that should not. Deadlines are short: nobody else will come. */
const SOUND: object[] = [
  { code: 'guess', publicKey: { kty: 'OKP', crv: 'Ed25519', x: 'A'.repeat(43) } },
  { name: 'other', classes: ['calm', 'storm'] },
  { owner: 'late', role: 'owner', hours: 1 },
  { kind: 'bundle', size: 100, sha256: '0'.repeat(64) },
  { config: { epochs: 1, hidden: 4, graph: 'icdf' }, split: 1, learningRates: [0.1], classes: ['calm', 'storm'] },
  { split: { train: ['s0000'], validation: ['s0001'], test: ['s0002'] } },
  { config: { graph: 'given' }, adjacency: { owners: OWNERS, weights: [row.slice(1), row.slice(1), row.slice(1)] } },
  { samples: [{ id: 's', embeddings: { 'owner-0': row } }], graphs: 'mean' },
  { embedding: row, quorum: 1, deadlineMs: 1 },
  { absent: ['owner-0'] },
  { code: 'A'.repeat(43) },
  { reason: 'better in storms' },
  { id: 'r', inputs: [input, { ...input, name: 'owner-1' }] },
];

async function severalAtOnce<T>(items: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
  const left = items.values();
  await Promise.all(
    Array.from({ length: AT_ONCE }, async () => {
      for (const item of left) await work(item);
    }),
  );
}

/** How a kept body was sent. Paths have ids in them that are others each time. */
interface Asked {
  who: string;
  method: string;
  template: string;
  choice: number;
  words: string;
  type: string;
}

/** Bodies that got a new answer in earlier runs. */
const corpusFolder = process.env.F3_FUZZ_CORPUS;
const CORPUS = new FuzzCorpus<Asked>('bodies', [], corpusFolder);
const KEPT = CORPUS.inputs.flatMap((bytes): object[] => {
  try {
    const kept: unknown = JSON.parse(Buffer.from(bytes).toString());
    return typeof kept === 'object' && kept !== null && Object.keys(kept).length > 0 ? [kept] : [];
  } catch {
    return [];
  }
});

const value = fc.anything({ maxDepth: 3, withNullPrototype: false });
const textOf = (content: unknown) => new TextEncoder().encode(JSON.stringify(content) ?? '');
/** A sound body with one thing in it replaced, removed or added. */
const mutated = fc.tuple(fc.constantFrom(...SOUND, ...KEPT), fc.nat(), value).map(([sound, place, other]) => {
  const copy = structuredClone(sound) as Record<string, unknown>;
  const places: [Record<string, unknown>, string][] = [];
  const walk = (node: Record<string, unknown>) => {
    for (const [key, child] of Object.entries(node)) {
      places.push([node, key]);
      if (typeof child === 'object' && child !== null) walk(child as Record<string, unknown>);
    }
  };
  walk(copy);
  const [node, key] = places[place % places.length];
  node[key] = other;
  return textOf(copy);
});
const json = fc.oneof(
  { weight: 4, arbitrary: mutated },
  { weight: 1, arbitrary: fc.constantFrom(...SOUND).map(textOf) },
  { weight: 1, arbitrary: value.map(textOf) },
);

/** A sound file with a few bytes changed, or cut. */
const spoilt = (sound: Uint8Array) =>
  fc
    .tuple(fc.array(fc.tuple(fc.nat(sound.length - 1), fc.nat(255)), { maxLength: 6 }), fc.nat(sound.length))
    .map(([changes, length]) => {
      const copy = Uint8Array.from(sound);
      for (const [at, byte] of changes) copy[at] = byte;
      return length % 4 === 0 ? copy.slice(0, length) : copy;
    });
const arrow = spoilt(
  encodeArrow(
    {
      sample: textColumn(['a', 'a']),
      owner: textColumn(['owner-0', 'owner-1']),
      embedding: floatListColumn(Float32Array.from([...row, ...row]), WIDTH),
    },
    {},
  ),
);
const bytes = fc.oneof(fc.uint8Array({ maxLength: 400 }), arrow);
const TYPES = ['application/json', 'application/octet-stream', 'application/vnd.apache.arrow.stream', 'text/plain'];
const body = fc.oneof(
  { weight: 6, arbitrary: fc.tuple(json, fc.constant(TYPES[0])) },
  { weight: 2, arbitrary: fc.tuple(arrow, fc.constant(TYPES[2])) },
  { weight: 1, arbitrary: fc.tuple(fc.oneof(json, bytes), fc.constantFrom(...TYPES)) },
);
const odd = fc.webPath().map((path) => `/v1/federations/grid${path.replaceAll(/[^ -~]/g, '')}`);
const word = fc.oneof(fc.constantFrom('0', '1', '-1', '1e9', 'new', '', '99999999999999999999'), fc.string());
const query = fc
  .option(fc.dictionary(fc.constantFrom('offset', 'after', 'limit', 'width', 'x'), word, { maxKeys: 2 }))
  .map((words) => (words && Object.keys(words).length > 0 ? `?${new URLSearchParams(words)}` : ''));
const member = fc.constantFrom('operator', 'owner-0', LABEL_HOLDER);

/** How often there was each status. */
const statusLine = (statuses: ReadonlyMap<number, number>) =>
  [...statuses]
    .sort()
    .map(([status, count]) => `${count} × ${status}`)
    .join(', ');

const missing = await postgresMissing();
console.log(`fuzzing with F3_FUZZ_SEED=${FUZZ_SEED} F3_FUZZ_RUNS=${RUNS}`);

describe.each(ASKED.map(([, kind]) => kind))('fuzzed requests, %s', (kind) => {
  describe('', unless(kind === 'PostgreSQL' ? missing : ''), () => {
    const dir = suiteDirectory();
    let scene: FederationScene;
    let postgres: PostgresServer | undefined;
    let routes: [method: string, template: string][];
    let ids: Record<string, string[]>;

    beforeAll(async () => {
      postgres = kind === 'PostgreSQL' ? await startPostgres() : undefined;
      const database = await postgres?.createDatabase();
      scene = await FederationScene.start({ data: join(dir, 'data'), work: false, ...(database && { database }) });
      const { paths } = scene.server.app.swagger() as { paths: Record<string, object> };
      routes = Object.entries(paths).flatMap(([path, operations]) =>
        Object.keys(operations).map((method): [string, string] => [method.toUpperCase(), path]),
      );
      const { db } = scene.server.store;
      const rows = [
        ...(await db.selectFrom('uploads').select('id').execute()),
        ...(await db.selectFrom('trainings').select('id').execute()),
      ];
      ids = {
        federation: ['grid', 'grid', 'grid', 'nowhere', '..'],
        owner: ['owner-2', 'nobody', 'ö', '%00'],
        member: ['owner-2', 'nobody', 'ö', '%00'],
        key: [scene.key('owner-2').id, 'A'.repeat(43), 'x', '%00'],
        version: ['1', '2', '0', 'x', '99999999999'],
        sample: ['s', 's0000', '%F0%9F%8C%8D', '%2F'],
        id: [...rows.map(({ id }) => id), '00000000-0000-4000-8000-000000000000', 'x'],
      };
    });
    afterAll(async () => {
      await scene?.server.close();
      await postgres?.stop();
    });

    async function send(who: string, method: string, path: string, content: Uint8Array, type: string) {
      const hasBody = method !== 'GET';
      const payload = hasBody ? content : new Uint8Array();
      const authorization = `Bearer ${await scene.sign(who, { method, path, body: payload })}`;
      const headers = { authorization, ...(hasBody && { 'content-type': type }) };
      return scene.server.app.inject({
        method: method as 'GET',
        url: path,
        headers,
        ...(hasBody && { payload: Buffer.from(payload) }),
      });
    }

    const pathOf = ({ template, choice, words }: Asked): string => {
      const path = template.replaceAll(/\{(\w+)\}/g, (_, name: string) => ids[name][choice % ids[name].length]);
      // A stream without an end is asked for its beginning.
      const asking = template.endsWith('/live/events') ? '?seconds=0' : words;
      return encodeURI(path).replaceAll('%25', '%') + asking;
    };

    /** Gives the status. */
    async function answered(asked: Asked, content: Uint8Array): Promise<number> {
      const { who, method, template, type } = asked;
      const path = pathOf(asked);
      const { statusCode, body: answer } = await send(who, method, path, content, type);
      const found = `${who} ${method} ${path} ${type} ${Buffer.from(content)}: ${answer}`;
      const { code } = statusCode < 400 ? {} : (JSON.parse(answer) as { code?: string });
      // A fault is kept as well, to be sent again when it is mended.
      if (statusCode >= 400 && routes.some(([verb, known]) => verb === method && known === template))
        CORPUS.note(content, `${method} ${template} ${code}`, asked);
      // Several under way may find a queue full, and are told to come back.
      if (code !== 'F3_BUSY') expect(statusCode, found).toBeLessThan(500);
      if (statusCode >= 400) expect(code, found).toMatch(/^F3_/);
      return statusCode;
    }

    it('that got an answer of their own before are answered with a status below 500 and a code', async () => {
      expect(CORPUS.kept.length).toBeGreaterThan(50);
      const known = new Set(routes.map(([method, template]) => `${method} ${template}`));
      const kept = CORPUS.kept.filter(({ about: { method, template } }) => known.has(`${method} ${template}`));
      await severalAtOnce(kept, async ({ bytes: content, about }) => void (await answered(about, content)));
    });

    it(
      'are answered with a status below 500 and a code',
      async () => {
        const asked = new Set<string>();
        const statuses = new Map<number, number>();
        let count = 0;
        const began = performance.now();
        const route = fc.oneof(
          {
            weight: 8,
            arbitrary: fc.tuple(fc.nat(), fc.nat({ max: 60 }), query).map(([which, choice, words]) => {
              const [method, template] = routes[which % routes.length];
              asked.add(`${method} ${template}`);
              return { method, template, choice, words };
            }),
          },
          {
            weight: 1,
            arbitrary: fc
              .tuple(fc.constantFrom('GET', 'POST', 'PUT'), odd)
              .map(([method, template]) => ({ method, template, choice: 0, words: '' })),
          },
        );
        const batch = { minLength: BATCH, maxLength: BATCH };
        await fc.assert(
          fc.asyncProperty(fc.array(fc.tuple(member, route, body), batch), async (requests) => {
            await severalAtOnce(requests, async ([who, where, [content, type]]) => {
              const status = await answered({ who, ...where, type }, content);
              statuses.set(status, (statuses.get(status) ?? 0) + 1);
              count++;
            });
          }),
          // The failure names the request, so nothing is gained by a search for a smaller one among others.
          {
            numRuns: Math.ceil(RUNS / BATCH),
            endOnFailure: true,
            ...(MINUTES > 0 && { interruptAfterTimeLimit: 60_000 * MINUTES, markInterruptAsFailure: false }),
          },
        );
        const seconds = Math.round((performance.now() - began) / 1000);
        console.log(`${kind}: ${count} requests answered in ${seconds} s: ${statusLine(statuses)}`);
        if (RUNS >= 1000) {
          expect([...asked].sort()).toEqual(routes.map(([method, path]) => `${method} ${path}`).sort());
          expect([...statuses.keys()]).toEqual(expect.arrayContaining([200, 400, 403, 404, 409, 415, 422]));
        }
      },
      TIMEOUT_MS,
    );

    it(
      'with a spoilt bundle count whole or not at all',
      async () => {
        const sound = encodeBundle(toyBundle(1, { samples: SAMPLES, width: () => WIDTH }));
        await fc.assert(
          fc.asyncProperty(spoilt(sound), async (content) => {
            fc.pre(content.length > 0);
            const sha256 = createHash('sha256').update(content).digest('hex');
            const uploads = '/v1/federations/grid/uploads';
            const opened = { kind: 'bundle', size: content.length, sha256 };
            const { id } = (await send('owner-1', 'POST', uploads, textOf(opened), TYPES[0])).json();
            await send('owner-1', 'PUT', `${uploads}/${id}?offset=0`, content, TYPES[1]);
            const answer = await send('owner-1', 'POST', `${uploads}/${id}/complete`, new Uint8Array(), TYPES[1]);
            expect([200, 403, 413, 422], answer.body).toContain(answer.statusCode);
            const found = await send('owner-1', 'GET', `${uploads}/${id}`, new Uint8Array(), TYPES[1]);
            // Content that is refused stays refused. What does not fit the other bundles is discarded, and may fit later.
            const state = found.statusCode === 404 ? 'discarded' : found.json().state;
            expect(answer.statusCode === 200 ? ['complete'] : ['refused', 'discarded']).toContain(state);
          }),
          { numRuns: BUNDLES },
        );
      },
      TIMEOUT_MS,
    );
  });
});
