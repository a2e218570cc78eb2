// What the page knows of an owner, put together from the federation's status and the overlap of samples.
import { privacyWords } from '../../../src/exchange/bundle/applied-privacy.ts';
import { coordinatesText } from '../../../src/exchange/coordinates.ts';
import type { Overlap } from '../../../src/exchange/messages/overlap.ts';
import type { ListedOwner } from '../../../src/exchange/messages.ts';

export interface OwnerFacts {
  owner: string;
  version: number | null;
  samples: number | null;
  /** Samples with a label. */
  labelled: number | null;
  width: number | null;
  /** What it states it did about what its bundle gives away. */
  privacy: string | null;
  received: string | null;
  lastSeen: string | null;
  /** Where it is, as it told. */
  place: string | null;
}

export function ownerFacts(owners: ListedOwner[], overlap: Overlap | undefined): OwnerFacts[] {
  const number = new Map(overlap?.owners.map((owner, at) => [owner, at]));
  return owners.map(({ owner, bundle, privacy, lastSeen, coordinates }) => {
    const at = number.get(owner);
    return {
      owner,
      version: bundle?.version ?? null,
      samples: bundle?.samples ?? (at === undefined ? null : (overlap?.samples[at] ?? null)),
      labelled: at === undefined ? null : (overlap?.labelled?.[at] ?? null),
      width: bundle?.width ?? null,
      privacy: bundle ? (privacy ? privacyWords(privacy) : null) : null,
      received: bundle?.received ?? null,
      lastSeen: typeof lastSeen === 'string' ? lastSeen : null,
      place: coordinates ? coordinatesText(coordinates) : null,
    };
  });
}

export type OwnerState = 'complete' | 'unlabelled' | 'waiting';

/** How an owner stands: it has sent samples with labels, samples without, or nothing. */
export const ownerState = ({ version, labelled }: OwnerFacts): OwnerState =>
  version === null ? 'waiting' : labelled === 0 ? 'unlabelled' : 'complete';

export const STATE_WORDS: Record<OwnerState, string> = {
  complete: 'has sent',
  unlabelled: 'has sent, without a labelled sample',
  waiting: 'has not sent',
};
