// The options of commands that code embeddings before they are shared, and the codes that are shared in their place.
import { type Command, Option } from 'commander';
import { F3Error } from '../../errors.ts';
import { makeHomeFolder, membershipFolder } from '../../exchange/identity/home.ts';
import type { CodedForSharing, KeptCoding } from '../../shares/owner/coding-shelf.ts';
import { integerFrom } from '../option-values.ts';
import type { PseudonymousSender } from './pseudonym-options.ts';

export interface CodesFlags {
  share?: boolean;
  encode?: 'quantiles' | 'none';
  bins?: number;
  codesFrom?: string;
  newCodes?: boolean;
}

/** A bundle of codes, as the file that it would be. */
export interface CodedBytes extends CodedForSharing {
  bytes: Uint8Array;
}

/** As a fusion has by default. */
const BINS = 8;

export function addCodesOptions(command: Command): Command {
  return command
    .addOption(
      new Option('--encode <code>', 'with --share: share codes by quantiles of your own samples; remembered').choices([
        'quantiles',
        'none',
      ]),
    )
    .option('--bins <n>', `with --encode quantiles: numbers of the code of a number (${BINS})`, integerFrom(2, 256))
    .option(
      '--codes-from <split>',
      'with --encode: quantiles of the training part of this split (default: of all samples)',
    )
    .option('--new-codes', 'with --encode: new quantiles, also where some are kept; then train anew');
}

/** The bundle in codes; undefined where embeddings are shared as they are. A membership that has shared codes goes on with them. */
export async function inCodes(
  bytes: Uint8Array,
  flags: CodesFlags,
  { membership, home }: PseudonymousSender,
): Promise<CodedBytes | undefined> {
  requireSharing(flags);
  if (!flags.share) return undefined;
  const folder = membershipFolder(home, membership.federation, membership.url);
  const { CodingShelf } = await import('../../shares/owner/coding-shelf.ts');
  const shelf = new CodingShelf(folder);
  const bins = flags.encode === 'none' ? undefined : (flags.bins ?? shelf.bins ?? (flags.encode ? BINS : undefined));
  if (bins === undefined) {
    if (flags.encode) shelf.choose(undefined);
    return undefined;
  }
  makeHomeFolder(home, folder);
  const { decodeBundle, encodeBundle } = await import('../../exchange/bundle/bundle.ts');
  const bundle = decodeBundle(bytes, `bundle of ${membership.owner}`);
  const training = flags.codesFrom === undefined ? undefined : await trainingIds(flags.codesFrom, bundle.samples);
  const coded = shelf.code(bundle, { bins, training, anew: flags.newCodes });
  const { constantNumbers } = await import('../../shares/owner/quantile-codes.ts');
  const constant = constantNumbers(coded.coding);
  if (constant.length > 0) {
    const which = `${constant.slice(0, 10).join(', ')}${constant.length > 10 ? ', …' : ''}`;
    process.stderr.write(`warning: numbers ${which} of the embeddings never vary, so their codes say nothing\n`);
  }
  if (!coded.isNew && training) {
    process.stderr.write('the bins that are kept are used; --new-codes makes others from these samples\n');
  }
  return { ...coded, bytes: encodeBundle(coded.bundle) };
}

export const codesText = ({ coding: { bins, id }, isNew }: CodedForSharing): string =>
  `codes of ${bins} bins, ${isNew ? 'made and kept for this model' : 'those that were kept'}: ${id.slice(0, 12)}`;

/** What live embeddings of a model are coded with; undefined where they are shared as they are. */
export async function liveCoding(
  model: string,
  { membership, home }: PseudonymousSender,
): Promise<KeptCoding | undefined> {
  const { CodingShelf } = await import('../../shares/owner/coding-shelf.ts');
  const shelf = new CodingShelf(membershipFolder(home, membership.federation, membership.url));
  return shelf.bins === undefined ? undefined : shelf.used(model);
}

function requireSharing({ share, encode, bins, codesFrom, newCodes }: CodesFlags): void {
  const given = Object.entries({ bins, 'codes-from': codesFrom, 'new-codes': newCodes, encode });
  const [flag] = given.find(([, value]) => value !== undefined) ?? [];
  if (!flag) return;
  if (!share) throw new F3Error('F3_OPTION', `--${flag}: is for --share only`);
  if (encode === 'none' && flag !== 'encode') throw new F3Error('F3_OPTION', `--${flag}: is not for --encode none`);
}

/** Ids of the training part. */
async function trainingIds(file: string, samples: readonly string[]): Promise<readonly string[]> {
  const { readSplit, splitIds } = await import('../../exchange/labels/split-sources.ts');
  return splitIds(await readSplit(file, samples), samples).train;
}
