// Runs rows of the table of privacy: trains owners, adds noise, attacks some of them and fuses all. What is finished is kept.
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { sha256 } from '../../base/sha256.ts';
import { writeWholeFile } from '../../base/whole-file.ts';
import { Engine } from '../../core/engine/engine.ts';
import { type Dataset, openDataset } from '../../data/dataset/dataset.ts';
import { readOwnerFolder } from '../../data/dataset/owner-folder.ts';
import { type Bundle, decodeBundle } from '../../exchange/bundle/bundle.ts';
import { readBundleFile } from '../../exchange/bundle/bundle-file.ts';
import { fuseOwners } from '../../fuse/fuse-owners.ts';
import { resolveFusionConfig } from '../../fuse/fusion-config.ts';
import { disposeFusedModel } from '../../fuse/model/fused-model.ts';
import { type AttackerKind, holdOut, recoverWindows, windowTargets } from '../../privacy/audit/recover-windows.ts';
import { type Recovery, rowsOf } from '../../privacy/audit/rows.ts';
import { datasetInput } from '../dataset-input.ts';
import type { ExperimentContext } from '../experiment.ts';
import type { FoundDataset } from '../find-dataset.ts';
import { ownerVariants } from '../owner-variants.ts';
import { type PreparedOwners, prepareVariant } from '../prepare-owners.ts';
import type { PrivacyFit, PrivacyRecovery, PrivacyRow, PrivacyRun } from './privacy-row.ts';
import { noiseFor, seededNoise } from './seeded-noise.ts';
import { inForm, type SentForm } from './sent-form.ts';

export interface PrivacyBenchOptions {
  /** Owners whose readings are attacked, spread evenly over the data set. */
  attacked: number;
  delta: number;
}

/** Raise this when a change of the code changes results. */
const RUN_VERSION = 2;
/** Attackers know the readings of this share of the samples. */
const KNOWN = 0.5;
const ATTACK_SEED = 1;

export class PrivacyBench {
  readonly #dataset: FoundDataset;
  readonly #context: ExperimentContext;
  readonly #options: PrivacyBenchOptions;

  constructor(dataset: FoundDataset, context: ExperimentContext, options: PrivacyBenchOptions) {
    this.#dataset = dataset;
    this.#context = context;
    this.#options = options;
  }

  async run(row: PrivacyRow): Promise<PrivacyRun> {
    const { bottleneck, epsilon, form } = row;
    const owners = await this.#owners(row);
    const noise = epsilon === undefined ? undefined : noiseFor(epsilon, this.#options.delta);
    const sent = { owners, noise, isNarrow: bottleneck !== undefined, form };
    // Rounded answers are read by a table, too.
    const readers = typeof form === 'object' ? ['table'] : [];
    const what = ['recovery', this.#options.attacked, ...readers];
    const recovery = await this.#once(what, sent, () => this.#recover(sent));
    const fits: PrivacyFit[] = [];
    for (let seed = 1; seed <= this.#context.seeds; seed++) {
      this.#context.signal?.throwIfAborted();
      fits.push(await this.#once(['fit', seed], sent, () => this.#fit(row, sent, seed)));
    }
    return { row, fits, recovery, noise, ownerSeconds: owners.seconds };
  }

  /** Owners that nothing was changed of have the folder of the other experiments, so that they are trained once for all. */
  async #owners({
    name,
    bottleneck,
    shield,
  }: Pick<PrivacyRow, 'name' | 'bottleneck' | 'shield'>): Promise<PreparedOwners> {
    const change = { ...(bottleneck !== undefined && { bottleneck }), ...(shield && { shield }) };
    const options = { ...ownerVariants['gru-long'].options(), ...change };
    // Shields once worked from the first epoch on; owners that were trained so are kept under other names.
    const parts = ['gru-long', bottleneck, shield?.kind, shield?.weight, shield && 'after-label'];
    const label = parts.filter((part) => part !== undefined).join('-');
    const before = shield && (await this.#owners({ name, ...(bottleneck !== undefined && { bottleneck }) }));
    return prepareVariant(this.#dataset, label, { name, options: () => options }, this.#context, before);
  }

  /** Gives what is kept under a name made of all that the result depends on, or else makes it and keeps it. */
  async #once<Result>(what: readonly unknown[], sent: SentEmbeddings, make: () => Promise<Result>): Promise<Result> {
    const folder = basename(dirname(sent.owners.bundles));
    const form = sent.form === undefined ? [] : [sent.form];
    const key = sha256(JSON.stringify([RUN_VERSION, folder, sent.noise ?? 'none', ...what, ...form])).slice(0, 16);
    const file = join(this.#context.cache, 'runs', `privacy-${key}.json`);
    if (existsSync(file)) return JSON.parse(readFileSync(file, 'utf8')) as Result;
    const result = await make();
    this.#context.signal?.throwIfAborted();
    mkdirSync(dirname(file), { recursive: true });
    writeWholeFile(file, JSON.stringify(result));
    return result;
  }

  async #fit(row: PrivacyRow, sent: SentEmbeddings, seed: number): Promise<PrivacyFit> {
    const dataset = await openDataset(this.#dataset.dir);
    const engine = new Engine({ threads: this.#context.threads });
    try {
      const input = await datasetInput(engine, dataset, await this.#bundles(dataset, sent, seed));
      // A temperature changes no ranking; without one the figures are those on record.
      const config = resolveFusionConfig({ preset: 'recommended', calibration: 'none', seed });
      const { progress, signal } = this.#context;
      const note = `row ${row.id}, seed ${seed}`;
      const onEpoch = ({ epoch }: { epoch: number }) => progress('fusing', epoch, config.epochs, { note });
      const fused = await fuseOwners(engine, input, config, { signal, onEpoch });
      const { seconds, epochs, validation, test } = fused.facts;
      if (fused.kind !== 'voting') disposeFusedModel(fused);
      const scores = ({ f1, auc }: { f1: number; auc: number }) => ({ f1, auc });
      return { seed, seconds, epochs, validation: scores(validation), test: scores(test) };
    } finally {
      await engine.dispose();
    }
  }

  async #bundles({ owners }: Dataset, sent: SentEmbeddings, seed: number): Promise<Bundle[]> {
    const bundles: Bundle[] = [];
    for (const [i, owner] of owners.entries()) {
      bundles.push(await this.#bundle(owner, i, sent, seed));
      if (sent.noise !== undefined) this.#context.progress('adding noise', i + 1, owners.length);
    }
    return bundles;
  }

  async #bundle(owner: string, at: number, sent: SentEmbeddings, seed: number): Promise<Bundle> {
    const { owners, noise, isNarrow, form } = sent;
    const file = join(owners.bundles, `${owner}.arrow`);
    const made = decodeBundle(await readBundleFile(file), file);
    const isMerged = typeof form === 'object' && form.maxRecovery !== undefined;
    const readings = isMerged ? await readOwnerFolder(join(this.#dataset.dir, 'owners', owner)) : undefined;
    const bundle = form === undefined ? made : inForm(made, form, readings);
    return noise === undefined ? bundle : seededNoise(bundle, { noise, isNarrow }, seed, at);
  }

  /** What the best of a line, a network and a table of answers recovers of owners that are spread over the data set. */
  async #recover(sent: SentEmbeddings): Promise<PrivacyRecovery> {
    const { owners } = await openDataset(this.#dataset.dir);
    const attacked = spread(owners, Math.min(this.#options.attacked, owners.length));
    const found: Omit<PrivacyRecovery, 'worst'>[] = [];
    const engine = new Engine({ threads: 1 });
    try {
      for (const [i, owner] of attacked.entries()) {
        const data = await readOwnerFolder(join(this.#dataset.dir, 'owners', owner));
        const bundle = await this.#bundle(owner, owners.indexOf(owner), sent, ATTACK_SEED);
        const [variates, samples] = [data.variates.length, data.samples.length];
        const rows = {
          embeddings: rowsOf(bundle.embeddings, bundle.width),
          targets: windowTargets(rowsOf(data.windows, data.length * variates), data.length, variates),
          ...holdOut(samples, data.parts, ATTACK_SEED),
          samples,
        };
        const attackers: AttackerKind[] =
          typeof sent.form === 'object' ? ['line', 'network', 'table'] : ['line', 'network'];
        const { recoveries } = recoverWindows(engine, rows, { shares: [KNOWN], seed: ATTACK_SEED, attackers });
        const best = (aim: 'mean' | 'last' | 'every') =>
          recoveries.map((one) => one[aim]).reduce((a, b) => (b.share > a.share ? b : a));
        found.push({ mean: best('mean'), last: best('last'), every: best('every') });
        this.#context.progress('attacking owners', i + 1, attacked.length);
        this.#context.signal?.throwIfAborted();
      }
    } finally {
      await engine.dispose();
    }
    const average = (aim: 'mean' | 'last' | 'every') => meanRecovery(found.map((one) => one[aim]));
    return {
      mean: average('mean'),
      last: average('last'),
      every: average('every'),
      worst: Math.max(...found.map(({ mean }) => mean.share)),
    };
  }
}

/** What leaves: whose embeddings, and under which noise. */
interface SentEmbeddings {
  owners: PreparedOwners;
  noise: number | undefined;
  /** Whether embeddings come out of a bottleneck, so that no length exceeds √d. */
  isNarrow: boolean;
  form: SentForm | undefined;
}

const spread = (owners: readonly string[], count: number): string[] =>
  Array.from({ length: count }, (_, i) => owners[Math.floor((i * owners.length) / count)]);

function meanRecovery(all: readonly Recovery[]): Recovery {
  const mean = (of: (one: Recovery) => number) => all.reduce((sum, one) => sum + of(one), 0) / all.length;
  return { share: mean(({ share }) => share), error: mean(({ error }) => error), guess: mean(({ guess }) => guess) };
}
