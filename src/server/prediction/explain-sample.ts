// [coordinator] Why a prediction came out as it did: the model is asked again without each owner in turn.
import { F3Error } from '../../errors.ts';
import type { LiveExplanation } from '../../exchange/messages/live-events.ts';
import type { SampleEmbeddings, ServedModel } from '../../infer/served-model.ts';

/** Each owner costs a prediction over all owners. */
const MOST_OWNERS = 1000;

/** Exact for this model: effects are differences of its own answers. They need not add up, because owners act together. */
export async function explainSample(
  { sample, version }: { sample: string; version: number },
  model: Pick<ServedModel, 'card' | 'predict'>,
  embeddings: SampleEmbeddings,
): Promise<LiveExplanation> {
  const { classes, owners } = model.card;
  if (embeddings.size > MOST_OWNERS) {
    const rule = `must be of at most ${MOST_OWNERS} owners to be explained`;
    throw new F3Error('F3_EVALUATION', `sample ${sample}: ${rule}, got ${embeddings.size}`);
  }
  const { class: predicted, probabilities } = await model.predict(embeddings);
  const number = classes.indexOf(predicted);
  const base = probabilities[number];
  const without = async (owner: string) => {
    const others = new Map(embeddings);
    others.delete(owner);
    return (await model.predict(others)).probabilities[number];
  };
  // The only owner has nobody to be left out beside.
  const effects =
    embeddings.size < 2
      ? []
      : await Promise.all(
          Array.from(embeddings.keys(), async (owner) => ({ owner, effect: shown(base - (await without(owner))) })),
        );
  return {
    sample,
    model: version,
    method: 'leave-one-out',
    class: predicted,
    classes,
    base: shown(base),
    owners: effects.sort((a, b) => Math.abs(b.effect) - Math.abs(a.effect)),
    absent: owners.map(({ owner }) => owner).filter((owner) => !embeddings.has(owner)),
  };
}

const shown = (value: number): number => Number(value.toFixed(6));
