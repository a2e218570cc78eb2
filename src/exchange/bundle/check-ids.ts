// [wire] Checks a bundle's sample ids: what is wrong with them, and what is unusual.
import { andMore, type BundleFinding, errorFinding, warningFinding } from './bundle-finding.ts';
import { mixedTimes } from './canonical-time.ts';
import type { SampleType } from './sample-ids.ts';

/** The messages do not name the owner, because bundles with the same ids share them. */
export function idFindings(samples: readonly string[], sampleType: SampleType): BundleFinding[] {
  return [...errorsOf(samples), ...warningsOf(samples, sampleType)];
}

function* errorsOf(samples: readonly string[]): Generator<BundleFinding> {
  if (samples.length === 0) yield errorFinding('F3_BUNDLE_EMPTY', 'must have at least one sample, got none');
  const empty = samples.indexOf('');
  if (empty >= 0)
    yield errorFinding('F3_BUNDLE_ID', `sample ids must not be empty, got an empty one in row ${empty + 1}`);
  const mixed = mixedTimes(samples);
  if (mixed) {
    const found = mixed.map((row) => `${samples[row]} in row ${row + 1}`).join(' and ');
    yield errorFinding('F3_BUNDLE_ID', `sample ids that are times must all have a zone or none of them, got ${found}`);
  }
  const twice = repeatedRows(samples);
  if (twice.length === 0) return;
  const [row] = twice;
  const found = `${samples[row]} in rows ${samples.indexOf(samples[row]) + 1} and ${row + 1}${andMore(twice.length)}`;
  yield errorFinding('F3_BUNDLE_DUPLICATE', `every sample must occur once, got ${found}`);
}

function* warningsOf(samples: readonly string[], sampleType: SampleType): Generator<BundleFinding> {
  if (sampleType === 'integer') {
    yield warningFinding('integer-ids', 'sample ids are integers, which match only bundles whose ids are integers too');
  }
  const padded = samples.filter((sample) => sample !== sample.trim());
  if (padded.length === 0) return;
  const found = `${JSON.stringify(padded[0])}${andMore(padded.length)}`;
  yield warningFinding(
    'padded-id',
    `sample ids begin or end with white space, which counts when ids are matched: ${found}`,
  );
}

function repeatedRows(samples: readonly string[]): number[] {
  const seen = new Set<string>();
  return samples.flatMap((sample, row) => {
    if (seen.has(sample)) return [row];
    seen.add(sample);
    return [];
  });
}
