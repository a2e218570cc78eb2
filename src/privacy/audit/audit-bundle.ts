// [owner] Audits a bundle that another program made, with readings from a file: no model is needed, and none is at hand.
import type { Engine } from '../../core/engine/engine.ts';
import type { Bundle } from '../../exchange/bundle/bundle.ts';
import { auditMade, type OwnerAudit, type OwnerAuditOptions } from './audit-owner.ts';
import { embeddingsHash } from './kept-audits.ts';
import { readBundleWindows, type WindowFile } from './window-files.ts';

/** Without labels and parts, half of the samples, chosen by the seed, are held out, and membership is not tried. */
export async function auditBundle(
  engine: Engine,
  bundle: Bundle,
  source: WindowFile,
  options: Omit<OwnerAuditOptions, 'onnx'> = {},
): Promise<OwnerAudit> {
  const start = performance.now();
  const { windows, length, variates } = await readBundleWindows(bundle, source);
  const { owner: id, samples, embeddings, width, probabilities, classes, objective } = bundle;
  const names = Array.from({ length: variates }, (_, i) => (variates === 1 ? 'reading' : `reading ${i + 1}`));
  const votes = probabilities && classes ? { probabilities, classes } : undefined;
  const made = { embeddings, width, votes, model: embeddingsHash(bundle), objective };
  return auditMade(engine, { id, samples, windows, length, variates: names }, made, options, start);
}
