// The work behind `f3 owner stream`.
import { Engine } from '../../core/engine/engine.ts';
import { type ErrorCode, errorCode, F3Error } from '../../errors.ts';
import type { CoordinatorClient } from '../../exchange/client/coordinator-client.ts';
import type { Pseudonyms } from '../../privacy/pseudonyms/pseudonyms.ts';
import type { KeptCoding } from '../../shares/owner/coding-shelf.ts';
import type { LiveSharing, LiveTicket } from '../../shares/owner/live-sharing.ts';
import { memberClient } from '../federation/member-client.ts';
import { liveCoding } from './codes-options.ts';
import { openLiveSharing, refuseWhereShared } from './live-sharing-options.ts';
import { folderWindows, type LiveWindow, lineWindows, type RefusedLine } from './live-windows.ts';
import { type AllowedEmbedding, type LiveNoise, openLiveNoise } from './noise-options.ts';
import { openPseudonyms } from './pseudonym-options.ts';
import { refuseOpenly } from './push.ts';
import { passLiveGate } from './recovery-gate.ts';
import type { StreamOptions } from './stream.ts';
import { openEmbedder, type StreamEmbedder } from './stream-embedder.ts';

/** Most samples without an answer at a time. An answer comes only when other owners have sent their embeddings. */
const IN_FLIGHT = 64;

export async function runStream(source: string, options: StreamOptions): Promise<void> {
  const rank = ({ role }: { role: string }) => (role === 'owner' ? 0 : -1);
  const { client, membership, key, home } = await memberClient({ ...options, rank });
  const sender = { membership, key, home };
  if (options.charter !== undefined && !options.share) throw new F3Error('F3_OPTION', '--charter: is for --share only');
  if (!options.share) await refuseOpenly(sender);
  const sharing = options.share ? await openLiveSharing(client, sender, options.charter) : undefined;
  const [noise, pseudonyms] = [await openLiveNoise(options, sender), await openPseudonyms(options, sender)];
  const engine = new Engine({ threads: 1 });
  try {
    const embedder = await openEmbedder(engine, source, options, membership.owner);
    await passLiveGate(embedder.model, options, sender, noise.options);
    if (!sharing) await refuseWhereShared(client, membership);
    const windows =
      source === '-' ? lineWindows(process.stdin, options.samples) : folderWindows(source, options.samples);
    const coding = sharing && (await liveCoding(embedder.model, sender));
    const answers = new Answers(client, membership.federation as string, options, { pseudonyms, sharing, coding });
    try {
      for await (const next of paced<LiveWindow | RefusedLine>(windows, options.rate)) {
        const taken = 'error' in next ? next : await embedded(embedder, noise, next);
        if ('error' in taken) answers.refuse(taken.sample, taken.error);
        else await answers.ask(taken.sample, taken.allowed);
      }
    } finally {
      await answers.all();
    }
    await embedder.dispose();
    answers.report();
  } finally {
    await sharing?.close();
    await pseudonyms?.close();
    await engine.dispose();
  }
}

/**
 * What is one sample's matter: a window of another shape or with a number that is none, an embedding that is none, a budget that
 * this sample has used up.
 */
const OF_ONE_SAMPLE: readonly (ErrorCode | undefined)[] = [
  'F3_STREAM_WINDOW',
  'F3_ONNX_NOT_FINITE',
  'F3_PRIVACY_BUDGET',
];

async function embedded(embedder: StreamEmbedder, noise: LiveNoise, { sample, window }: LiveWindow) {
  try {
    const embedding = await embedder.embed(window, sample);
    return { sample, allowed: noise.add(sample, embedding) };
  } catch (thrown) {
    if (!OF_ONE_SAMPLE.includes(errorCode(thrown))) throw thrown;
    return { sample, error: thrown as F3Error };
  }
}

async function* paced<T>(windows: AsyncIterable<T>, rate: number | undefined): AsyncGenerator<T> {
  const start = performance.now();
  let count = 0;
  for await (const window of windows) {
    const due = rate === undefined ? 0 : start + (count++ * 1000) / rate;
    const early = due - performance.now();
    if (early > 0) await new Promise((resolve) => setTimeout(resolve, early));
    yield window;
  }
}

/** Errors that every further sample would meet, too, so that the stream ends. */
const FATAL: readonly (ErrorCode | undefined)[] = ['F3_CLIENT_TLS', 'F3_CLIENT_UNREACHABLE', 'F3_HOME'];

/** What stands between an embedding and those who get it. */
interface Sending {
  pseudonyms: Pseudonyms | undefined;
  sharing: LiveSharing | undefined;
  coding: KeptCoding | undefined;
}

/** Posts embeddings and prints answers as they come, at most `IN_FLIGHT` outstanding. */
class Answers {
  readonly #client: CoordinatorClient;
  readonly #federation: string;
  readonly #limits: { quorum?: number; deadlineMs?: number };
  readonly #pseudonyms: Pseudonyms | undefined;
  readonly #sharing: LiveSharing | undefined;
  readonly #coding: KeptCoding | undefined;
  readonly #open = new Set<Promise<void>>();
  #sent = 0;
  #answered = 0;
  #refused = 0;
  #first: Error | undefined;
  #fatal: unknown;

  constructor(
    client: CoordinatorClient,
    federation: string,
    { quorum, deadline }: StreamOptions,
    { pseudonyms, sharing, coding }: Sending,
  ) {
    this.#pseudonyms = pseudonyms;
    this.#sharing = sharing;
    this.#coding = coding;
    this.#client = client;
    this.#federation = federation;
    this.#limits = { ...(quorum !== undefined && { quorum }), ...(deadline !== undefined && { deadlineMs: deadline }) };
  }

  async ask(sample: string, allowed: AllowedEmbedding): Promise<void> {
    while (this.#open.size >= IN_FLIGHT) await Promise.race(this.#open);
    if (this.#fatal) throw this.#fatal;
    this.#sent++;
    const answered = this.#post(sample, allowed).finally(() => this.#open.delete(answered));
    this.#open.add(answered);
  }

  /** `sample` is null if the line does not name one. */
  refuse(sample: string | null, error: F3Error): void {
    this.#refused++;
    this.#first ??= error;
    print({ sample, error: { code: error.code, message: error.message } });
  }

  async all(): Promise<void> {
    await Promise.all(this.#open);
  }

  /** Throws when samples were refused. */
  report(): void {
    if (this.#fatal) throw this.#fatal;
    process.stderr.write(`${this.#sent} samples sent, ${this.#answered} answered\n`);
    if (!this.#first) return;
    const message = `${this.#refused} of ${this.#answered + this.#refused} samples refused, the first: ${this.#first.message}`;
    throw new F3Error(errorCode(this.#first) ?? 'F3_CLIENT_RESPONSE', message);
  }

  async #share(sharing: LiveSharing, sample: string, embedding: Float32Array): Promise<LiveTicket> {
    const thing = `embedding of sample ${sample}`;
    if (!this.#coding) return sharing.send(embedding, thing);
    const { codedEmbedding } = await import('../../shares/owner/coding-shelf.ts');
    return sharing.send(codedEmbedding(embedding, this.#coding, thing), thing, this.#coding.id);
  }

  async #post(sample: string, { embedding, settle }: AllowedEmbedding): Promise<void> {
    try {
      const [name = sample] = (await this.#pseudonyms?.of([sample])) ?? [];
      settle();
      const share = this.#sharing && (await this.#share(this.#sharing, sample, embedding));
      const said = share ? { share } : { embedding: Array.from(embedding) };
      const answer = await this.#client.live(this.#federation, name, { ...said, ...this.#limits });
      print(Object.assign({ sample }, answer, { sample })); // our own id, whatever the coordinator knows it by
      this.#answered++;
    } catch (thrown) {
      const code = errorCode(thrown);
      const isFatal = code === undefined || FATAL.includes(code) || code.startsWith('F3_AUTH_');
      if (isFatal) {
        this.#fatal ??= thrown;
        return;
      }
      this.refuse(sample, thrown as F3Error);
    }
  }
}

function print(answer: unknown): void {
  process.stdout.write(`${JSON.stringify(answer)}\n`);
}
