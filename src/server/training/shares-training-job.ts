// [coordinator] A training on shares as its thread sees it: sample ids and labels here, embeddings with the entities, who may go and come back.
import { setTimeout as sleep } from 'node:timers/promises';
import { Engine } from '../../core/engine/engine.ts';
import { errorCode } from '../../errors.ts';
import type { FusionInput, InputAssembly } from '../../fuse/join/fusion-input.ts';
import type { EncodedModel } from '../../fuse/model/fused-card.ts';
import { fuseOnShares, sharedRows } from '../../fuse/on-shares/fuse-on-shares.ts';
import { decodeSharesState, encodeSharesState, type SharesTrainingState } from '../../fuse/on-shares/shares-state.ts';
import { fingerprint } from '../../fuse/training/checkpoint-folder.ts';
import { decodeAnnouncement } from '../../shares/announcement.ts';
import { charterFingerprint } from '../../shares/charter.ts';
import { EntityLines } from '../../shares/desk/entity-lines.ts';
import { EntityCalls } from '../../shares/entity-calls.ts';
import { Field } from '../../shares/field.ts';
import { Ledger } from '../../shares/ledger.ts';
import { selfSignedCertificate } from '../../shares/link/self-signed-certificate.ts';
import { Scheme } from '../../shares/scheme.ts';
import { manifestRoot, type ShareManifest } from '../../shares/share-manifest.ts';
import { partIds } from './part-rules.ts';
import { addBundle, assembleTraining, finishInput, type StoredBundle } from './training-input.ts';
import type { LearnListeners, LearnOptions, RunnableJob, SharesAccess, TrainingStart } from './training-job.ts';
import { configOf, learningRatesOf, type TrainingPlan } from './training-plan.ts';

/** How long a training waits for an entity that is away, and how often it looks. */
const [WAIT_MS, LOOK_MS] = [30 * 60_000, 1000];

export class SharesTrainingJob implements RunnableJob {
  readonly #engine: Engine;
  readonly #plan: TrainingPlan;
  readonly #access: SharesAccess;
  readonly #input: InputAssembly;
  readonly #stop = new AbortController();
  readonly #owners: { width: number; root: string; coding: string | undefined }[] = [];
  #written: (() => void) | undefined;

  constructor({ plan, labels, threads, shares }: TrainingStart) {
    this.#engine = new Engine({ threads });
    this.#plan = plan;
    this.#access = shares as SharesAccess;
    this.#input = assembleTraining(this.#engine, plan, labels);
  }

  /** The bytes announce a bundle: ids, and what the owner signed. */
  add({ owner, sha256, bytes }: StoredBundle): void {
    const { bundle, statement } = decodeAnnouncement(bytes, `bundle ${owner}`);
    addBundle(this.#input, bundle, sha256);
    // The signature was checked when the announcement came.
    const { width, coding } = JSON.parse(
      Buffer.from(statement.split('.')[1], 'base64url').toString('utf8'),
    ) as ShareManifest;
    this.#owners.push({ width, root: manifestRoot(statement), coding: coding?.id });
  }

  async learn(options: LearnOptions, listeners: LearnListeners): Promise<EncodedModel | undefined> {
    const { signal } = this.#stop;
    const input = finishInput(this.#input, this.#plan);
    listeners.onParts(partIds(input));
    const about = `${fingerprint(input, configOf(this.#plan))} ${charterFingerprint(this.#access.charter)}`;
    const [rate] = learningRatesOf(this.#plan);
    const stored = options.stored.get(rate);
    const progress = { resume: stored && decodeSharesState(stored, about), at: Date.now() };
    const keep = async (state: SharesTrainingState): Promise<void> => {
      const bytes = encodeSharesState(state, about);
      const resume = decodeSharesState(bytes.slice(), about);
      listeners.onCheckpoint(rate, bytes);
      await this.#checkpointWritten();
      Object.assign(progress, { resume, at: Date.now() });
    };
    for (;;) {
      try {
        return await this.#attempt(input, { ...options, resume: progress.resume, rate, keep, listeners });
      } catch (error) {
        if (signal.aborted) return undefined;
        if (errorCode(error) !== 'F3_SHARES_AWAY' || Date.now() - progress.at > WAIT_MS) throw error;
        // Shares and weights lie on the entity's disk, so it goes on from the last checkpoint when the entity is back.
        listeners.onEpoch({ waiting: (error as Error).message });
        await sleep(LOOK_MS, undefined, { signal }).catch(() => undefined);
        if (signal.aborted) return undefined;
      }
    }
  }

  markCheckpointWritten(): void {
    this.#written?.();
  }

  stop(): void {
    this.#stop.abort();
  }

  async #attempt(
    input: FusionInput,
    {
      seconds,
      resume,
      rate,
      keep,
      listeners,
    }: LearnOptions & {
      resume: SharesTrainingState | undefined;
      rate: number;
      keep: (state: SharesTrainingState) => Promise<void>;
      listeners: LearnListeners;
    },
  ): Promise<EncodedModel | undefined> {
    const { charter, keys } = this.#access;
    const lines = new EntityLines({ charter, certified: selfSignedCertificate(keys) });
    const field = new Field(this.#engine);
    try {
      const roots = this.#owners.map(({ root }) => root);
      const about = { samples: input.joined.samples.length, roots };
      const { conversation: transport, active } = await lines.conversePresent(about, sharedRows(input));
      const calls = new EntityCalls(transport, active, transport.id);
      const scheme = new Scheme(charter.threshold, charter.entities.length);
      const link = { field, scheme, transport, ledger: new Ledger(), calls };
      const widths = this.#owners.map(({ width }) => width);
      const ids = this.#owners.flatMap(({ coding }) => coding ?? []);
      const codings = ids.length > 0 ? ids : undefined; // the plan has all owners code alike, or none
      const fusion = { input, widths, codings, config: configOf(this.#plan), charter: charterFingerprint(charter) };
      let next = performance.now() + seconds * 1000;
      const model = await fuseOnShares(this.#engine, link, fusion, {
        resume,
        signal: this.#stop.signal,
        onEpoch: (report) => listeners.onEpoch({ ...report, learningRate: rate }),
        isCheckpointDue: () => performance.now() >= next,
        onCheckpoint: async (state) => {
          await keep(state);
          next = performance.now() + seconds * 1000;
        },
      });
      await calls.call({ kind: 'end' });
      return model;
    } finally {
      lines.close();
      field.dispose();
    }
  }

  /** Resolves when the last checkpoint is in the database, or when nobody waits for it any more. */
  #checkpointWritten(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#written = resolve;
    this.#stop.signal.addEventListener('abort', () => resolve(), { once: true });
    return promise;
  }
}
