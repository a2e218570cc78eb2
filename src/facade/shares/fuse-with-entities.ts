// Fusion on shares in one call: bundles are split among entities, which run as threads of this process, train, and predict.
import { Engine } from '../../core/engine/engine.ts';
import { F3Error } from '../../errors.ts';
import { countBundles } from '../../exchange/bundle/bundle-sources.ts';
import { readLabels } from '../../exchange/labels/label-sources.ts';
import { readSplit } from '../../exchange/labels/split-sources.ts';
import { type FusionChoice, resolveFusionConfig } from '../../fuse/fusion-config.ts';
import { freeInput, InputAssembly } from '../../fuse/join/fusion-input.ts';
import { graphWithout, readGraph } from '../../fuse/join/given-graph.ts';
import type { EntityLink } from '../../fuse/on-shares/entity-link.ts';
import { fuseOnShares } from '../../fuse/on-shares/fuse-on-shares.ts';
import { checkSharesConfig } from '../../fuse/on-shares/shared-shape-of.ts';
import { EntityCalls } from '../../shares/entity-calls.ts';
import { startEntityThreads } from '../../shares/entity-threads.ts';
import { Field } from '../../shares/field.ts';
import { Ledger } from '../../shares/ledger.ts';
import { Scheme } from '../../shares/scheme.ts';
import { shareEmbeddings } from '../../shares/share-embeddings.ts';
import type { FuseRequest } from '../fuse.ts';
import { addBundles, READING_FIELDS, requireKnown } from '../read-bundles.ts';
import { type FieldsOf, requireFields } from '../require-fields.ts';
import { ModelInThreads, type ModelOnShares } from './model-on-shares.ts';

/** What a fusion on shares needs, and how it is to be done. */
export interface SharedFuseRequest
  extends Pick<
    FuseRequest,
    'bundles' | 'labels' | 'split' | 'classes' | 'without' | 'graph' | 'signal' | 'onProgress' | 'onWarning'
  > {
  /** The preset `shares`, or another choice that entities can compute. */
  config?: FusionChoice | undefined;
  /** How many entities hold shares. Default 3. */
  entities?: number | undefined;
  /** So many of them together learn nothing. Default: as many as can be, 1 of 3. */
  threshold?: number | undefined;
}

const REQUEST_FIELDS: FieldsOf<SharedFuseRequest> = {
  bundles: true,
  labels: true,
  split: true,
  classes: true,
  config: true,
  graph: true,
  entities: true,
  threshold: true,
  ...READING_FIELDS,
};

/**
 * Trains on shares with entities in threads: to try a config, to compare with the clear, to see the ledger. Whoever runs the process can
 * read everything in it; where that matters, entities are processes of other parties. The model holds threads until it is disposed.
 */
export async function fuseWithEntities(request: SharedFuseRequest): Promise<ModelOnShares> {
  requireFields('request', request, REQUEST_FIELDS);
  const { signal, onProgress, entities = 3 } = request;
  const scheme = new Scheme(request.threshold ?? Math.floor((entities - 1) / 2), entities);
  const config = resolveFusionConfig({ preset: 'shares', ...request.config });
  checkSharesConfig(config);
  if (config.encoding !== 'none') {
    const rule = 'must be none here, since owners make their codes themselves';
    throw new F3Error('F3_SHARES_CONFIG', `encoding: ${rule}, got ${config.encoding}`);
  }
  const labels = await readLabels(request.labels, request.classes);
  const split = await readSplit(request.split, labels.samples);
  const graph = request.graph === undefined ? undefined : graphWithout(await readGraph(request.graph), request.without);
  const engine = new Engine({ threads: 1 });
  let link: EntityLink | undefined;
  let ended: (() => Promise<unknown>) | undefined;
  const dispose = async () => {
    if (link) await link.calls.call({ kind: 'end' }).catch(() => undefined);
    await ended?.();
    await engine.dispose();
  };
  try {
    const expected = countBundles(request.bundles);
    const assembly = new InputAssembly(engine, { labels, split, graph, votes: false, expected });
    requireKnown(request.without, await addBundles(request.bundles, assembly, request));
    const input = assembly.finish();
    const { joined } = input;
    const { owners, samples, isComplete, width } = joined;
    onProgress?.({ stage: 'joined', owners, samples: samples.length, isComplete, unused: assembly.unused });
    const shares = shareEmbeddings(scheme, joined.embeddings.data, owners.length, width);
    const threads = startEntityThreads(scheme, shares);
    ({ ended } = threads);
    const numbers = Array.from({ length: entities }, (_, i) => i + 1);
    const calls = new EntityCalls(threads.transport, numbers, threads.channel);
    link = { field: new Field(engine), scheme, transport: threads.transport, ledger: new Ledger(), calls };
    const widths = owners.map(() => width);
    const fusion = { input, widths, config, charter: 'entities in threads' };
    const encoded = await fuseOnShares(engine, link, fusion, {
      signal,
      onEpoch: (report) => onProgress?.({ stage: 'training', learningRate: config.learningRate, ...report }),
    });
    signal?.throwIfAborted();
    if (!encoded) throw new Error('a fusion on shares that was not stopped must end with a model');
    const present = Uint8Array.from(joined.present.data);
    freeInput(engine, input);
    return new ModelInThreads({ engine, link, encoded, samples, present, dispose });
  } catch (error) {
    await dispose();
    throw error;
  }
}
