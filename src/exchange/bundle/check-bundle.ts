// [wire] Checks a bundle's values: for errors it is refused, warnings name what is unusual.
import { F3Error } from '../../errors.ts';
import type { Bundle } from './bundle.ts';
import type { BundleFinding } from './bundle-finding.ts';
import { idFindings } from './check-ids.ts';
import { EmbeddingChecks, ProbabilityChecks } from './check-numbers.ts';

export type { BundleFinding, BundleWarning } from './bundle-finding.ts';

/**
 * Gives at most one finding of a kind per column: its first place, and how many more there are. `ofIds` holds the findings
 * about sample ids where they are known already.
 */
export function checkBundle(
  bundle: Bundle,
  ofIds: readonly BundleFinding[] = idFindings(bundle.samples, bundle.sampleType),
): BundleFinding[] {
  const { owner, samples, embeddings, classes = 1, probabilities = new Float32Array() } = bundle;
  const ofEmbeddings = new EmbeddingChecks(bundle);
  const ofProbabilities = new ProbabilityChecks(classes);
  ofEmbeddings.add(embeddings);
  ofProbabilities.add(probabilities);
  const textOf = (row: number) => samples[row];
  return sortFindings(owner, [
    ...ofIds,
    ...ofEmbeddings.errors(textOf),
    ...ofProbabilities.errors(textOf),
    ...ofEmbeddings.warnings(textOf),
  ]);
}

/** Called for a bundle about to be written or accepted: throws its first error, returns its warnings. */
export function requireSound(bundle: Bundle, ofIds?: readonly BundleFinding[]): BundleFinding[] {
  return requireNoError(checkBundle(bundle, ofIds));
}

/** Puts errors first, and the owner's name before each message. */
export function sortFindings(owner: string, findings: readonly BundleFinding[]): BundleFinding[] {
  const errorsFirst = (['error', 'warning'] as const).flatMap((level) => findings.filter((one) => one.level === level));
  return errorsFirst.map((finding) => ({ ...finding, message: `bundle ${owner}: ${finding.message}` }));
}

/** Throws the first error, or returns what was found. */
export function requireNoError(findings: BundleFinding[]): BundleFinding[] {
  for (const finding of findings) if (finding.level === 'error') throw new F3Error(finding.code, finding.message);
  return findings;
}
