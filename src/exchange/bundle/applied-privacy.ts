// [wire] What an owner has done about what its bundle gives away, put together from the bundle's metadata: for status, lists and words.
import type { BundleCard } from './bundle.ts';
import { type NoiseNote, noiseOf, parsePrivacyNote, type ShieldNote } from './privacy-note.ts';

/** What an owner states that it did. Nobody can check it but the owner, who signed it. */
export interface AppliedPrivacy {
  /** Null: embeddings left without noise. */
  noise: NoiseNote | null;
  /** Numbers of the narrow layer in the local model; null: there is none. */
  bottleneck: number | null;
  /** Levels of the answer that was sent in the place of an embedding; null: an embedding was sent. */
  answers: number | null;
  /** What the local model was trained against; null: nothing. */
  shield: ShieldNote | null;
  /** Whether sample ids are pseudonyms. */
  pseudonyms: boolean;
  /** Whether class probabilities were sent. */
  votes: boolean;
  /** Whether embeddings lie in shares with entities, and the coordinator has none. */
  shares: boolean;
}

/** Reads a bundle's card. */
export function appliedPrivacy({
  privacy,
  pseudonyms,
  classes,
  shares,
}: Pick<BundleCard, 'privacy' | 'pseudonyms' | 'classes' | 'shares'>): AppliedPrivacy {
  const note = (privacy === undefined ? undefined : parsePrivacyNote(privacy)) ?? {};
  const noise = noiseOf(note);
  return {
    noise: noise === undefined || noise === 'broken' ? null : noise,
    bottleneck: note.bottleneck ?? null,
    answers: note.answers ?? null,
    shield: note.shield ? { kind: note.shield.kind, weight: note.shield.weight } : null,
    pseudonyms: pseudonyms !== undefined,
    votes: classes !== undefined,
    shares: shares !== undefined,
  };
}

/** In a few words, such as `ε 8 at δ 0.00001, bottleneck 4, pseudonyms`; `nothing` where nothing was done. */
export function privacyWords({ noise, bottleneck, answers, shield, pseudonyms, shares }: AppliedPrivacy): string {
  const words = [
    ...(shares ? ['shares'] : []),
    ...(noise ? [`ε ${Number(noise.epsilon.toPrecision(3))} at δ ${noise.delta}`] : []),
    ...(bottleneck === null ? [] : [`bottleneck ${bottleneck}`]),
    ...(answers ? [`answers in ${answers} levels`] : []),
    ...(shield ? [`shield ${shield.kind} ${shield.weight}`] : []),
    ...(pseudonyms ? ['pseudonyms'] : []),
  ];
  return words.length > 0 ? words.join(', ') : 'nothing';
}
