// [owner] What an audit says in plain words, worst first.
import { type OwnerAudit, UNKNOWN_OBJECTIVE } from './audit-owner.ts';
import type { AttackerKind } from './recover-windows.ts';
import { wasMeasured } from './recovery-limit.ts';

/** From here on embeddings are as good as the readings. */
const HIGH = 0.8;
const SOME = 0.3;
const WHOLE = 0.95;
/** By so much more than of the mean something else must be recovered to be said. */
const MORE = 0.1;
const NOTICEABLE_AUC = 0.6;

const WHO: Record<AttackerKind, string> = {
  line: 'A straight line',
  network: 'A small network',
  table: 'A table of the mean reading behind each answer',
};

export function verdictOf(audit: OwnerAudit): string[] {
  const { recoveries, bound, answers, membership, classes, imitation, objective } = audit;
  const best = recoveries.reduce((a, b) => (b.mean.share > a.mean.share ? b : a));
  const { share, error, guess } = best.mean;
  if (!wasMeasured(audit)) {
    return ['Nothing was measured: the readings of all samples are the same, so there is nothing to recover.'];
  }
  const who = WHO[best.attacker];
  const level =
    audit.worst >= HIGH
      ? 'High: whoever holds these embeddings holds these readings.'
      : audit.worst >= SOME
        ? 'Some: embeddings give part of the readings away.'
        : 'Low: none of the attacks recovered much of the readings.';
  const lines = [
    level,
    guess === 0
      ? "A window's mean is the same for all samples, so there is nothing to recover of it."
      : `${who} that knows the readings of ${percent(best.known)} of the samples recovers ${percent(share)} of the variance of a ` +
        `window's mean: it errs by ${shown(error)}, guessing the mean errs by ${shown(guess)}.`,
  ];
  if (audit.worst > share + MORE) {
    const isLast = recoveries.some(({ last, every }) => last.share === audit.worst && every.share < last.share);
    lines.push(
      `Of the ${isLast ? 'last reading' : 'single readings'} ${percent(audit.worst)} of the variance is recovered.`,
    );
  }
  if (bound && bound.recoverable >= WHOLE) {
    lines.push(
      'The model lets nearly all of a window through (linear approximation): nothing but effort stands in the way.',
    );
  } else if (bound) {
    const most = `more than about ${percent(bound.recoverable)} of the readings' variance`;
    const found = Math.max(...recoveries.map(({ every }) => every.share));
    lines.push(
      found > bound.recoverable
        ? `By a linear approximation nobody could recover ${most} from this model, but an attack recovered ${percent(found)}: the approximation does not hold here, and is no bound.`
        : `Nobody can recover ${most} from this model (linear approximation, no attacker needed).`,
    );
  }
  if (answers) {
    const most = Math.max(answers.mean, answers.last, answers.every);
    lines.push(
      `These embeddings take ${answers.answers} ${answers.answers === 1 ? 'value' : 'values'}. Nobody who sees one of them recovers more than about ${percent(most)} of the readings' ` +
        'variance, measured on all of these samples (no attacker needed; what several samples tell together is not in it).',
    );
    if (audit.worst > most) {
      lines.push(
        `The ${audit.heldOut} samples that attacks were judged on happen to give away more than all of them do: up to ${percent(audit.worst)}.`,
      );
    }
  }
  for (const { name, commonest, fewLabels, clustering } of classes) {
    const most = Math.max(clustering, ...fewLabels.map(({ accuracy }) => accuracy));
    if (most > commonest + 0.1) {
      lines.push(
        `The ${name} is guessed right for ${percent(most)} of the samples (always the commonest: ${percent(commonest)}).`,
      );
    }
  }
  if (membership && membership.auc > NOTICEABLE_AUC) {
    lines.push(
      `Samples that the model was trained on can be told from others (AUC ${membership.auc.toFixed(2)}; a coin has .50).`,
    );
  }
  if (imitation > HIGH) {
    lines.push(
      `The local model can be imitated: ${percent(imitation)} of the embeddings' variance from a tenth of the pairs.`,
    );
  }
  if (!bound && !answers) {
    lines.push(
      'Its gradients are not at hand, so there is no bound for every attacker, only what these attacks found.',
    );
  }
  if (objective !== 'label' && objective !== UNKNOWN_OBJECTIVE) {
    lines.push(`It was trained for ${objective}: such embeddings keep more of the readings on purpose.`);
  }
  return lines;
}

const percent = (share: number): string => `${(100 * share).toFixed(share < 0.1 ? 1 : 0)} %`;
const shown = (value: number): string => value.toPrecision(3);
