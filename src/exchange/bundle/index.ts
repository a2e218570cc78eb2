// [wire] Bundles as a package entry: what an owner sends, once, and the labels and splits that go with it.
export * from '../../errors.ts';
export { formatGraph, parseGraph } from '../labels/graph-csv.ts';
export {
  type EntropySummary,
  type LabelEntropy,
  labelEntropies,
  summariseEntropy,
  type Voter,
} from '../labels/label-entropy.ts';
export { decodeLabels, encodeLabels, type LabelSet, makeLabelSet } from '../labels/labels.ts';
export { PARTS, type Part, randomSplit } from '../labels/sample-parts.ts';
export { checkSplit, parseSplitFile, type Split } from '../labels/split.ts';
export {
  BUNDLE_FORMAT,
  BUNDLE_VERSION,
  type Bundle,
  type BundleContent,
  bundleHash,
  decodeBundle,
  encodeBundle,
} from './bundle.ts';
export { readBundleFile, writeBundle } from './bundle-file.ts';
export { type LoadedBundle, listBundles, readBundles } from './bundle-folder.ts';
export { canonicalSampleId } from './canonical-time.ts';
export { type BundleFinding, type BundleWarning, checkBundle, requireSound } from './check-bundle.ts';
export { compareBundles } from './compare-bundles.ts';
export { readNpyIds, readNpyMatrix } from './npy.ts';
export { isOwnerId, OWNER_ID_RULE } from './owner-id.ts';
export { RecentIds } from './recent-ids.ts';
export { isSampleId, MAX_ID_BYTES, type SampleIds, type SampleType } from './sample-ids.ts';
