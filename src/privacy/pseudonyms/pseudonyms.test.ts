// Owners and a key holder that talk over a real port; the key holder lies where the test says so.
import { appendFileSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import Fastify, { type FastifyInstance } from 'fastify';
import { afterAll, afterEach, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { temporaryDirectory } from '../../../test/support/temporary-directory.ts';
import { systemClock } from '../../exchange/client/back-off.ts';
import { createKeyPair, type KeyPair } from '../../exchange/identity/key-pair.ts';
import { buildKeyHolder } from '../key-holder/key-holder-app.ts';
import { KeyHolderFiles } from '../key-holder/key-holder-files.ts';
import { createPseudonymKey, evaluateBlinded } from './oprf.ts';
import { OprfThreads } from './oprf-threads.ts';
import { PseudonymBook } from './pseudonym-book.ts';
import { Pseudonyms, pseudonymChoice } from './pseudonyms.ts';

const threads = new OprfThreads(1);
afterAll(() => threads.close());

let keys: KeyPair;
beforeAll(async () => {
  keys = await createKeyPair();
});

const open: { app: FastifyInstance }[] = [];
const opened: Pseudonyms[] = [];
afterEach(async () => {
  for (const one of opened.splice(0)) await one.close();
  for (const { app } of open.splice(0)) await app.close();
});

/** A key holder with one member, whose key is `keys`. */
async function keyHolder(limits: Parameters<typeof buildKeyHolder>[2] = {}) {
  const files = KeyHolderFiles.open(temporaryDirectory());
  const app = await buildKeyHolder(files, threads, limits);
  open.push({ app });
  const url = await app.listen({ host: '127.0.0.1', port: 0 });
  const { code } = files.invite('north');
  return { files, app, url, code };
}

async function pseudonymsAt(url: string, code?: string, folder = temporaryDirectory(), own = keys) {
  const backOff = { attempts: 1 };
  const made = await Pseudonyms.open({ url, folder, federation: 'grid', keys: own, code, threads: 1, backOff });
  opened.push(made);
  return made;
}

describe('an owner and a key holder', () => {
  it('make the same pseudonyms for the same ids, for every owner, times in any spelling', async () => {
    const { url, code, files } = await keyHolder();
    const other = await createKeyPair();
    const north = await (await pseudonymsAt(url, code)).of(['7', '2012-03-01T07:00:00Z', '7']);
    const south = await (await pseudonymsAt(url, files.invite('south').code, temporaryDirectory(), other)).of([
      '2012-03-01 08:00+01:00',
      '7',
    ]);
    expect(north).toEqual([south[1], south[0], south[1]]);
    expect(new Set(north).size).toBe(2);
  });

  it('are asked for an id once, also by the next run', async () => {
    const { url, code, files } = await keyHolder({ batch: 2 });
    const folder = temporaryDirectory();
    const first = await pseudonymsAt(url, code, folder);
    const seen: number[] = [];
    const names = await first.of(['a', 'b', 'c', 'a'], (done) => seen.push(done));
    expect(seen.at(-1)).toBe(4);
    expect(files.used(keys.id)).toBe(3);
    const second = await pseudonymsAt(url, undefined, folder);
    expect(await second.of(['c', 'b', 'a'])).toEqual([names[2], names[1], names[0]]);
    expect(files.used(keys.id)).toBe(3);
    expect(second.known().get(names[1])).toBe('b');
    expect(statSync(join(folder, 'pseudonyms.txt')).mode & 0o077).toBe(0);
  });

  it('go on where a run broke, without asking again for what was answered', async () => {
    const { url, code, files } = await keyHolder({ batch: 1, idsPerDay: 2 });
    const folder = temporaryDirectory();
    const made = await pseudonymsAt(url, code, folder);
    await expect(made.of(['a', 'b', 'c', 'd'])).rejects.toThrow(
      expect.objectContaining({ code: 'F3_PSEUDONYM_LIMIT' }),
    );
    expect(files.used(keys.id)).toBe(2);
    expect(PseudonymBook.open(join(folder, 'pseudonyms.txt')).size).toBe(2);
  });
});

describe('a key holder that lies', () => {
  it('with another key than it published is caught by the proof, and nothing is kept', async () => {
    const { app, url, code, files } = await keyHolder();
    const folder = temporaryDirectory();
    const made = await pseudonymsAt(url, code, folder);
    Object.assign(files.key, { secret: createPseudonymKey().secret });
    await expect(made.of(['a'])).rejects.toThrow(expect.objectContaining({ code: 'F3_PSEUDONYM_PROOF' }));
    expect(PseudonymBook.open(join(folder, 'pseudonyms.txt')).size).toBe(0);
    expect(app.server.listening).toBe(true);
  });

  it('about its key, after a membership has used it, is caught before anything is asked', async () => {
    const [first, second] = [await keyHolder(), await keyHolder()];
    const folder = temporaryDirectory();
    await (await pseudonymsAt(first.url, first.code, folder)).of(['a']);
    await expect(pseudonymsAt(second.url, second.code, folder)).rejects.toThrow(
      expect.objectContaining({ code: 'F3_PSEUDONYM_KEY' }),
    );
    expect(pseudonymChoice(folder)?.url).toBe(first.url);
    expect(second.files.members()).toEqual([]);
  });

  it('about its key at first, and proved nothing under it, does not bind the membership to that key', async () => {
    const [liar, honest] = [await keyHolder(), await keyHolder()];
    const folder = temporaryDirectory();
    const caught = await pseudonymsAt(liar.url, liar.code, folder);
    Object.assign(liar.files.key, { secret: createPseudonymKey().secret });
    await expect(caught.of(['a'])).rejects.toThrow(expect.objectContaining({ code: 'F3_PSEUDONYM_PROOF' }));
    const made = await pseudonymsAt(honest.url, honest.code, folder);
    expect(await made.of(['a'])).toHaveLength(1);
    expect(pseudonymChoice(folder)).toEqual({ url: honest.url, publicKey: made.publicKey });
    // Whoever still talks to the first one adds nothing to a book under the second one's key.
    await expect(caught.of(['b'])).rejects.toThrow(expect.objectContaining({ code: 'F3_PSEUDONYM_KEY' }));
    expect(PseudonymBook.open(join(folder, 'pseudonyms.txt')).size).toBe(1);
  });

  it('with fewer answers than questions is caught', async () => {
    const { url, code, files } = await keyHolder();
    const made = await pseudonymsAt(url, code);
    const whole = threads.evaluate.bind(threads);
    threads.evaluate = async (key, blinded) => evaluateBlinded(key, blinded.slice(1));
    try {
      await expect(made.of(['a', 'b'])).rejects.toThrow(expect.objectContaining({ code: 'F3_CLIENT_RESPONSE' }));
    } finally {
      threads.evaluate = whole;
    }
    expect(files.members()).toHaveLength(1);
  });
});

describe('a key holder that answers something else', () => {
  it('such as null, is refused in words', async () => {
    const { app, code, url, files } = await keyHolder();
    const folder = temporaryDirectory();
    const made = await pseudonymsAt(url, code, folder);
    await app.close();
    open.length = 0;
    const other = Fastify();
    other.all('/v1/*', (_request, reply) => reply.type('application/json').send('null'));
    open.push({ app: other });
    await other.listen({ host: '127.0.0.1', port: Number(new URL(url).port) });
    const refused = { code: 'F3_CLIENT_RESPONSE', message: expect.stringContaining(`key holder ${url}: must`) };
    await expect(made.of(['a'])).rejects.toThrow(expect.objectContaining(refused));
    await expect(pseudonymsAt(url, undefined, folder)).rejects.toThrow(expect.objectContaining(refused));
    expect(files.members()).toHaveLength(1);
  });
});

describe('a key holder whose answer goes on', () => {
  it('is left when it has sent more than the request can need', async () => {
    const { app, code, url } = await keyHolder();
    const folder = temporaryDirectory();
    const made = await pseudonymsAt(url, code, folder);
    await app.close();
    open.length = 0;
    let sent = 0;
    const endless = createServer((_, response) => {
      const more = () => {
        while (!response.destroyed && sent < 64 << 20 && response.write('x'.repeat(1024))) sent += 1024;
      };
      response.on('drain', more).writeHead(200, { 'content-type': 'application/json' });
      more();
    });
    onTestFinished(() => void endless.closeAllConnections());
    onTestFinished(() => void endless.close());
    await new Promise<void>((resolve) => endless.listen(Number(new URL(url).port), '127.0.0.1', resolve));
    const refused = { code: 'F3_CLIENT_RESPONSE', message: expect.stringContaining('got one that goes on') };
    await expect(made.of(['a'])).rejects.toThrow(expect.objectContaining(refused));
    await expect(pseudonymsAt(url, undefined, folder)).rejects.toThrow(expect.objectContaining(refused));
    expect(sent).toBeLessThan(32 << 20); // what lines hold on the way is not read either
  });
});

describe('whom a key holder refuses', () => {
  const asked = (url: string, body: unknown, headers: Record<string, string> = {}) =>
    fetch(`${url}/v1/evaluate`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: typeof body === 'string' ? body : JSON.stringify(body),
    });

  it('strangers, before anything is computed', async () => {
    const { url } = await keyHolder();
    const made = await pseudonymsAt(url);
    await expect(made.of(['a'])).rejects.toThrow(expect.objectContaining({ code: 'F3_AUTH_UNKNOWN' }));
    expect((await asked(url, { blinded: [] })).status).toBe(401);
  });

  it('a code a second time, a wrong one, and one too many', async () => {
    const { url, code } = await keyHolder({ joinsPerMinute: 4 });
    await pseudonymsAt(url, code);
    await pseudonymsAt(url, code); // the same key, whose first answer may have got lost
    const other = await createKeyPair();
    const join = () => pseudonymsAt(url, code, temporaryDirectory(), other);
    await expect(join()).rejects.toThrow(expect.objectContaining({ code: 'F3_INVITATION' }));
    await expect(join()).rejects.toThrow(expect.objectContaining({ code: 'F3_INVITATION' }));
    await expect(join()).rejects.toThrow(expect.objectContaining({ code: 'F3_RATE_LIMIT' }));
  });

  it('ids past the limit of a day, also when the clock is set back or what was counted is damaged', async () => {
    const folder = temporaryDirectory();
    const files = KeyHolderFiles.open(folder);
    const [day, next] = [new Date('2026-03-02T12:00:00Z'), new Date('2026-03-03T00:00:01Z')];
    files.spend(keys.id, 5, day);
    expect([files.used(keys.id, day), files.used(keys.id, next)]).toEqual([5, 0]);
    const yesterday = new Date('2026-03-01T12:00:00Z');
    files.spend(keys.id, 2, yesterday);
    expect([files.used(keys.id, yesterday), files.used(keys.id, day)]).toEqual([7, 7]);
    writeFileSync(join(folder, 'usage', `${keys.id}.json`), '{"day":"2026');
    expect(() => files.used(keys.id, day)).toThrow(/must say how many ids were asked for/);
  });

  it('whoever has another time, and says with whose clock to compare', async () => {
    const { url, code } = await keyHolder();
    const clock = { ...systemClock, now: () => new Date(Date.now() - 3_600_000) };
    const options = { url, folder: temporaryDirectory(), federation: 'grid', keys, code, clock };
    const late = await Pseudonyms.open({ ...options, threads: 1, backOff: { attempts: 1 } });
    opened.push(late);
    const message = expect.stringMatching(`^key holder ${url}: request token: .*compare the clocks`);
    await expect(late.of(['a'])).rejects.toThrow(expect.objectContaining({ code: 'F3_AUTH_EXPIRED', message }));
  });

  it('members that were removed', async () => {
    const { url, code, files } = await keyHolder();
    const made = await pseudonymsAt(url, code);
    expect(files.remove('north')).toBe(1);
    await expect(made.of(['a'])).rejects.toThrow(expect.objectContaining({ code: 'F3_AUTH_UNKNOWN' }));
  });

  it('codes of members that were removed, and of no others', async () => {
    const { url, files } = await keyHolder();
    const [spare, other] = [files.invite('north').code, files.invite('south').code];
    files.join(spare, { keyId: keys.id, publicKey: keys.publicKey });
    const unused = files.invite('north').code;
    expect(files.remove('north')).toBe(3); // a member, the code of `keyHolder`, and the one just made
    await expect(pseudonymsAt(url, unused)).rejects.toThrow(expect.objectContaining({ code: 'F3_INVITATION' }));
    expect(files.members()).toEqual([]);
    await pseudonymsAt(url, other);
    expect(files.members().map(({ name }) => name)).toEqual(['south']);
  });

  it('bodies that are too large or of another shape', async () => {
    const { url } = await keyHolder();
    const authorization = 'Bearer x.y.z';
    expect((await asked(url, '{', { authorization })).status).toBe(401);
    expect((await asked(url, 'x'.repeat(1 << 20))).status).toBe(413);
    const joined = await fetch(`${url}/v1/join`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{"code":"a"',
    });
    expect([joined.status, await joined.json()]).toEqual([400, expect.objectContaining({ code: 'F3_REQUEST' })]);
    expect((await fetch(`${url}/v1/nothing`)).status).toBe(404);
  });
});

describe('the book of pseudonyms', () => {
  it('drops a line that a crash cut off, and refuses what is no line', () => {
    const file = join(temporaryDirectory(), 'book.txt');
    const book = PseudonymBook.open(file);
    book.add(['a "quoted"\nid', 'ü'], ['0'.repeat(32), '1'.repeat(32)]);
    appendFileSync(file, `${'2'.repeat(32)} "cut`);
    const again = PseudonymBook.open(file);
    expect([again.size, again.find('ü'), again.find('a "quoted"\nid')]).toEqual([2, '1'.repeat(32), '0'.repeat(32)]);
    again.add(['b'], ['3'.repeat(32)]);
    expect(PseudonymBook.open(file).size).toBe(3);
    expect(readFileSync(file, 'utf8').split('\n')).toHaveLength(4);
    writeFileSync(file, 'hello\n');
    expect(() => PseudonymBook.open(file)).toThrow(expect.objectContaining({ code: 'F3_HOME' }));
  });

  it('of a key holder that is away is not begun', async () => {
    const folder = temporaryDirectory();
    await expect(pseudonymsAt('http://127.0.0.1:1', undefined, folder)).rejects.toThrow(
      expect.objectContaining({
        code: 'F3_CLIENT_UNREACHABLE',
        message: expect.stringContaining('key holder http://127.0.0.1:1'),
      }),
    );
    expect(pseudonymChoice(folder)).toBeUndefined();
  });
});
