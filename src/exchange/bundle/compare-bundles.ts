// [wire] Compares the bundles of several owners: what is wrong or unusual between them, and not in any one of them.
import type { Bundle } from './bundle.ts';
import { firstTime } from './canonical-time.ts';
import type { BundleFinding } from './check-bundle.ts';

/** Owners must agree on the type of ids and on the classes; they should be different and share samples. */
export function compareBundles(bundles: readonly Bundle[]): BundleFinding[] {
  if (bundles.length < 2) return [];
  return [...disagreements(bundles), ...repeatedOwners(bundles), ...strangers(bundles)];
}

function* disagreements([first, ...others]: readonly Bundle[]): Generator<BundleFinding> {
  const otherType = others.find(({ sampleType }) => sampleType !== first.sampleType);
  if (otherType) {
    const message = `sample ids must be of one type, got ${first.sampleType} from ${first.owner}, ${otherType.sampleType} from ${otherType.owner}`;
    yield { level: 'error', code: 'F3_BUNDLE_ID_TYPE', message };
  }
  const times = [first, ...others].flatMap(({ owner, samples }) => {
    const time = firstTime(samples);
    return time ? [{ owner, ...time }] : [];
  });
  const otherTime = times.find(({ kind }) => kind !== times[0].kind);
  if (otherTime) {
    const found = `${times[0].id} from ${times[0].owner}, ${otherTime.id} from ${otherTime.owner}`;
    const message = `sample ids that are times must have a zone everywhere or nowhere, got ${found}`;
    yield { level: 'error', code: 'F3_BUNDLE_ID_TYPE', message };
  }
  const [voter, ...voters] = [first, ...others].filter(({ classes }) => classes !== undefined);
  const otherVoter = voters.find(({ classes }) => classes !== voter.classes);
  if (!otherVoter) return;
  const found = `${voter.classes} from ${voter.owner}, ${otherVoter.classes} from ${otherVoter.owner}`;
  const message = `probabilities must be over the same number of classes, got ${found}`;
  yield { level: 'error', code: 'F3_BUNDLE_PROBABILITIES', message };
}

function* repeatedOwners(bundles: readonly Bundle[]): Generator<BundleFinding> {
  const counts = Map.groupBy(bundles, ({ owner }) => owner);
  for (const [owner, { length }] of counts) {
    if (length > 1) {
      yield { level: 'warning', code: 'owner-twice', message: `owner ${owner} has ${length} bundles; it may send one` };
    }
  }
}

/** Owners none of whose samples any other owner has. */
function* strangers(bundles: readonly Bundle[]): Generator<BundleFinding> {
  const holders = new Map<string, number>();
  for (const { samples } of bundles) {
    for (const sample of new Set(samples)) holders.set(sample, (holders.get(sample) ?? 0) + 1);
  }
  for (const { owner, samples } of bundles) {
    if (samples.length === 0 || samples.some((sample) => holders.get(sample)! > 1)) continue;
    const message = `owner ${owner} shares no sample with any other owner; its first is ${samples[0]}`;
    yield { level: 'warning', code: 'no-common-sample', message };
  }
}
