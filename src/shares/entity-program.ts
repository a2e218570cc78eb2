// [entity] What an entity does: it waits for the coordinator's commands and computes its part of each with the other entities.
import { errorCode, F3Error } from '../errors.ts';
import type { EmbeddingShares } from './embedding-shares.ts';
import type { Field } from './field.ts';
import type { Ledger } from './ledger.ts';
import type { SetKeys } from './mask-source.ts';
import { decodeMessage, encodeMessage, type Message } from './message.ts';
import { type OpeningTime, Party } from './party.ts';
import { type PublicBatch, publicFactors } from './public-graph.ts';
import type { Scheme } from './scheme.ts';
import { backwardOnShares } from './shared-backward.ts';
import { forwardOnShares, revealLogits } from './shared-forward.ts';
import { type PredictionGroup, predictOnShares } from './shared-prediction.ts';
import { bitPlan, type SharedShape } from './shared-shape.ts';
import { SharedWeights } from './shared-weights.ts';
import { COORDINATOR, type Transport } from './transport.ts';

/**
 * What the coordinator asks an entity to do. `session` names masks, so it is never used for anything else. A step's `momentum` counts instead of the
 * model's: velocities have the learning rate in them, so it changes when the rate does.
 */
export type EntityCommand =
  | { kind: 'open'; about: string; shape: SharedShape; momentum: number }
  | { kind: 'step'; session: string; step: number; active?: number[]; momentum?: number }
  | {
      kind: 'predict';
      session: string;
      step: number;
      active?: number[];
      bits: number;
      groups: { samples: number; share: number }[];
      projections?: 'keep' | 'kept';
    }
  | { kind: 'place'; roots: (string | null)[]; live: { owner: number; sample: number; ticket: string }[] }
  | { kind: 'keep best' | 'use best' | 'ledger' | 'end' }
  | { kind: 'save' | 'forget'; name: string }
  | { kind: 'load'; name: string; about: string; steps: number };

/** Where an entity keeps its shares of weights. They never leave it: t + 1 entities' shares together are the weights. */
export interface WeightStore {
  /** Replaces what is there, whole or not at all. */
  save(name: string, bytes: Uint8Array): Promise<void>;
  load(name: string): Promise<Uint8Array | undefined>;
  forget(name: string): Promise<void>;
}

/** What an entity has and knows of its own. */
export interface EntityProgramOptions {
  field: Field;
  scheme: Scheme;
  transport: Transport;
  keys: SetKeys;
  ledger: Ledger;
  /** The shares that a command's training works on. */
  embeddings: EmbeddingShares;
  store: WeightStore;
  /** Names the conversation with the coordinator: tags begin with it. A new one after every interruption. */
  channel: string;
  /** Called after every opening among entities. */
  onOpening?: ((time: OpeningTime) => void) | undefined;
}

/** What an entity answers: nothing but that it is done, or what went wrong. */
interface EntityAnswer {
  error?: { code: string; message: string };
  lines?: ReturnType<Ledger['lines']>;
}

/** One entity in one conversation with the coordinator. */
export class EntityProgram {
  readonly #options: EntityProgramOptions;
  readonly #parties = new Map<string, Party>();
  #model: { weights: SharedWeights; about: string; momentum: number } | undefined;

  constructor(options: EntityProgramOptions) {
    this.#options = options;
  }

  /** Obeys until the coordinator ends the conversation, or rejects when it is gone. */
  async run(): Promise<void> {
    const { transport, channel, field } = this.#options;
    for (let number = 0; ; number++) {
      const bytes = await transport.receive(COORDINATOR, `${channel} command ${number}`);
      const message = decodeMessage<EntityCommand>(bytes, `command ${number}`);
      const answer = await this.#answer(message);
      field.reset();
      transport.send(COORDINATOR, `${channel} answer ${number}`, encodeMessage(answer));
      if (message.facts.kind === 'end') break;
    }
    this.#model?.weights.dispose();
  }

  async #answer(message: Message<EntityCommand>): Promise<Message<EntityAnswer>> {
    try {
      return await this.#obey(message);
    } catch (error) {
      const { message: text } = error as Error;
      return { facts: { error: { code: errorCode(error) ?? 'F3_INTERNAL', message: text } }, arrays: {} };
    }
  }

  async #obey({ facts, arrays }: Message<EntityCommand>): Promise<Message<EntityAnswer>> {
    const done = { facts: {}, arrays: {} };
    switch (facts.kind) {
      case 'open': {
        const { field, embeddings } = this.#options;
        const { about, shape, momentum } = facts;
        checkEmbeddings(embeddings, shape);
        this.#model?.weights.dispose();
        this.#model = {
          weights: new SharedWeights(field, shape, arrays as Record<string, Float32Array>),
          about,
          momentum,
        };
        return done;
      }
      case 'step':
        await this.#step(facts, arrays as unknown as PublicBatch);
        return done;
      case 'predict':
        await this.#predict(facts, arrays);
        return done;
      case 'place': {
        const { roots, live } = facts;
        await this.#options.embeddings.place?.({ roots, live, rows: arrays.rows as Int32Array });
        return done;
      }
      case 'keep best':
        this.#opened().weights.keepBest();
        return done;
      case 'use best':
        this.#opened().weights.useBest();
        return done;
      case 'save': {
        const { weights, about } = this.#opened();
        await this.#options.store.save(facts.name, weights.checkpoint(about));
        return done;
      }
      case 'load': {
        const bytes = await this.#options.store.load(facts.name);
        if (!bytes)
          throw new F3Error('F3_SHARES_STATE', `checkpoint of shares: ${facts.name} must be kept here, got none`);
        this.#opened().weights.restore(bytes, facts.about, facts.steps);
        return done;
      }
      case 'forget':
        await this.#options.store.forget(facts.name);
        return done;
      case 'ledger':
        return { facts: { lines: this.#options.ledger.lines() }, arrays: {} };
      case 'end':
        return done;
    }
  }

  async #step(
    { session, step, active, momentum: own }: Extract<EntityCommand, { kind: 'step' }>,
    batch: PublicBatch,
  ): Promise<void> {
    const { field, scheme, embeddings } = this.#options;
    const { weights, momentum } = this.#opened();
    const { shape } = weights;
    const party = this.#party(session, active);
    party.startStep(step);
    const plan = bitPlan(scheme);
    const factors = publicFactors(batch, shape, plan);
    const forward = await forwardOnShares(party, weights, embeddings, batch, factors, plan);
    revealLogits(party, weights, forward.pooled, factors.shares);
    const gradients = field.load(await party.fromCoordinator('logit gradients'));
    const pass = { party, weights, forward, batch, factors, plan, momentum: own ?? momentum };
    await backwardOnShares(pass, gradients);
  }

  async #predict(command: Extract<EntityCommand, { kind: 'predict' }>, arrays: Message['arrays']): Promise<void> {
    const { session, step, active, bits, projections } = command;
    const { weights } = this.#opened();
    const party = this.#party(session, active);
    party.startStep(step);
    const { rows, present } = arrays as { rows: Uint32Array; present?: Uint8Array };
    const groups = command.groups.map((group, i): PredictionGroup => {
      const [quadratic, linear] = [arrays[`quadratic ${i}`], arrays[`linear ${i}`]];
      return { ...group, quadratic: quadratic as Int32Array, linear: linear as Float64Array };
    });
    await predictOnShares(party, weights, this.#options.embeddings, { rows, present, bits, groups, projections });
  }

  #opened() {
    if (this.#model) return this.#model;
    throw new F3Error('F3_SHARES_STATE', 'entity: a model must be opened before it is used, got none');
  }

  #party(session: string, active: number[] | undefined): Party {
    const known = this.#parties.get(session);
    if (known) return known;
    const { field, scheme, transport, keys, ledger, onOpening } = this.#options;
    const party = new Party({ field, scheme, transport, keys, ledger, session, active, onOpening });
    // Sessions of predictions come and go; only the latest few are asked for again.
    if (this.#parties.size >= 8) this.#parties.delete([...this.#parties.keys()][0]);
    this.#parties.set(session, party);
    return party;
  }
}

function checkEmbeddings({ widths }: EmbeddingShares, { owners, width }: SharedShape): void {
  if (widths.length !== owners || Math.max(...widths) !== width) {
    const found = `${widths.length} owners of width ${Math.max(...widths)}`;
    throw new F3Error(
      'F3_SHARES_STATE',
      `shares: must be of ${owners} owners, the widest of ${width} numbers, got ${found}`,
    );
  }
}
