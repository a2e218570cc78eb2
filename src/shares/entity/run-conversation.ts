// [entity] What a conversation with the coordinator is for: the program of training and prediction, on the shares that the coordinator names.
import { z } from 'zod';
import { Engine } from '../../core/engine/engine.ts';
import { F3Error } from '../../errors.ts';
import type { EmbeddingShares } from '../embedding-shares.ts';
import { EntityProgram } from '../entity-program.ts';
import { Field, NUMBER_BYTES } from '../field.ts';
import type { EntityFederation } from './entity-federation.ts';
import type { ConversationProgram } from './entity-service.ts';
import { PlacedShares } from './placed-shares.ts';

const beginning = z.object({
  conversation: z.string().regex(/^[0-9a-f]{32}$/),
  active: z.array(z.number().int()).min(1),
  samples: z.number().int().min(1),
  /** For a training: roots of the bundles, in the training's order of owners. */
  roots: z.array(z.string()).min(1).optional(),
  /** For predictions: the model's owners. At most `samples` are asked about at a time. */
  owners: z
    .array(z.object({ owner: z.string(), width: z.number().int().min(1), coding: z.string().optional() }))
    .min(1)
    .optional(),
});

/** How often the ledger is written while a conversation goes on. */
const SETTLE_MS = 1000;

/**
 * The bytes are [owner, sample] whole numbers of 32 bits, low byte first: the sample's row in the owner's share, −1 where the owner
 * did not see it. So an entity learns no sample id.
 */
export const runConversation: ConversationProgram = async (federation, link, { facts, bytes }) => {
  const { data, error } = beginning.safeParse(facts);
  if (!data)
    throw new F3Error('F3_SHARES_MESSAGE', `conversation: must begin as f3 does, got ${error.issues[0].message}`);
  const { conversation: id, active, samples, roots = [], owners } = data;
  const embeddings = owners
    ? new PlacedShares(federation, owners, { samples })
    : await gather(federation, roots, samples, bytes);
  const keys = federation.agreement.keys();
  const conversation = await federation.converse(id, active, link);
  const engine = new Engine({ threads: 1 });
  const { scheme, weights } = federation;
  const { ledger } = federation.ledger;
  const settling = setInterval(() => federation.ledger.settle(), SETTLE_MS);
  settling.unref();
  const store = {
    load: (name: string) => weights.load(name),
    forget: (name: string) => weights.forget(name),
    // What is computed again after an interruption begins here, so the ledger must know of all that came before.
    save: async (name: string, kept: Uint8Array) => {
      federation.ledger.settle();
      await weights.save(name, kept);
    },
  };
  const program = new EntityProgram({
    field: new Field(engine),
    scheme,
    transport: conversation,
    keys,
    ledger,
    embeddings,
    store,
    channel: id,
  });
  void program
    .run()
    .catch((failure: Error) => {
      process.stderr.write(`conversation ${id} ended early: ${failure.message}\n`);
    })
    .finally(async () => {
      clearInterval(settling);
      federation.end(id);
      federation.ledger.settle();
      await engine.dispose();
    });
  return { facts: {} };
};

/** Shares in the training's order of samples; rows of samples that an owner did not see are zeros. */
async function gather(
  federation: EntityFederation,
  roots: readonly string[],
  samples: number,
  bytes: Uint8Array,
): Promise<EmbeddingShares> {
  if (bytes.length !== roots.length * samples * 4) {
    const rule = `rows must be ${roots.length}·${samples} numbers of 4 bytes`;
    throw new F3Error('F3_SHARES_MESSAGE', `conversation: ${rule}, got ${bytes.length} bytes`);
  }
  const rows = new Int32Array(bytes.slice().buffer);
  const held = new Map(federation.shares.held().map((one) => [one.root, one.manifest]));
  const parts: { width: number; numbers: Uint8Array }[] = [];
  for (const [i, root] of roots.entries()) {
    const share = await federation.shares.read(root);
    const { width = 0, rows: count = 0, owner = root } = held.get(root) ?? {};
    const length = width * NUMBER_BYTES;
    const numbers = new Uint8Array(samples * length);
    for (let sample = 0; sample < samples; sample++) {
      const row = rows[i * samples + sample];
      if (row < 0) continue;
      if (row >= count) {
        throw new F3Error('F3_SHARES_BUNDLE', `share of ${owner}: has ${count} rows, row ${row} was asked for`);
      }
      numbers.set(share.subarray(row * length, (row + 1) * length), sample * length);
    }
    parts.push({ width, numbers });
  }
  return { samples, widths: parts.map(({ width }) => width), of: (owner) => parts[owner].numbers };
}
