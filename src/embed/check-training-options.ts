// [owner] Whether the options of a local training go together, before anything is trained.
import { F3Error } from '../errors.ts';
import type { OwnerTrainingOptions } from './owner-model.ts';
import { MOST_LEVELS } from './rounded-answers.ts';
import { SHIELD_KINDS } from './shield.ts';
import { BEST_BY } from './train-local-model.ts';

/** Throws unless the options go together. */
export function checkTrainingOptions(options: OwnerTrainingOptions): void {
  checkBestBy(options);
  checkObjective(options);
  checkBottleneck(options);
  checkShield(options);
  checkAnswers(options);
}

/** Under a shield accuracy would choose an epoch before the shield has worked. */
function checkBestBy({ bestBy, shield }: OwnerTrainingOptions): void {
  if (bestBy === undefined) return;
  if (!BEST_BY.includes(bestBy)) {
    throw new F3Error('F3_OPTION', `best epoch by: must be ${BEST_BY.join(' or ')}, got ${bestBy}`);
  }
  if (shield && bestBy !== 'loss') {
    throw new F3Error('F3_OPTION', `best epoch by: must be loss where there is a shield, got ${bestBy}`);
  }
}

/** Squared errors of raw readings have no scale that a weight could be set for. */
function checkObjective({ objective = 'label', normalisation, reconstructionWeight }: OwnerTrainingOptions): void {
  if (objective === 'label') {
    if (reconstructionWeight === undefined) return;
    const rule = 'must be left out when nothing is reconstructed';
    throw new F3Error('F3_OPTION', `weight of the reconstruction: ${rule}, got ${reconstructionWeight}`);
  }
  if (normalisation !== 'z-score') {
    throw new F3Error(
      'F3_OPTION',
      `objective ${objective}: inputs must be z-scored, got normalisation ${normalisation}`,
    );
  }
  if (reconstructionWeight === undefined || (reconstructionWeight > 0 && Number.isFinite(reconstructionWeight))) return;
  throw new F3Error('F3_OPTION', `weight of the reconstruction: must be above 0, got ${reconstructionWeight}`);
}

function checkBottleneck({ bottleneck, width }: OwnerTrainingOptions): void {
  if (bottleneck === undefined || (Number.isInteger(bottleneck) && bottleneck >= 1 && bottleneck <= width)) return;
  const rule = `must be a whole number from 1 to ${width}, the width of the layer before it`;
  throw new F3Error('F3_OPTION', `bottleneck: ${rule}, got ${bottleneck}`);
}

function checkShield({ shield, normalisation, batch, objective = 'label' }: OwnerTrainingOptions): void {
  if (!shield) return;
  const { kind, weight } = shield;
  if (!SHIELD_KINDS.includes(kind)) {
    throw new F3Error('F3_OPTION', `shield: must be ${SHIELD_KINDS.join(' or ')}, got ${kind}`);
  }
  if (!(weight > 0 && Number.isFinite(weight))) {
    throw new F3Error('F3_OPTION', `weight of the shield: must be above 0, got ${weight}`);
  }
  if (kind === 'distance-correlation' && batch < 2) {
    const rule = 'batches must have two windows or more, since it works on the distances between them';
    throw new F3Error('F3_OPTION', `shield: ${rule}, got ${batch}`);
  }
  if (normalisation !== 'z-score') {
    throw new F3Error('F3_OPTION', `shield: inputs must be z-scored, got normalisation ${normalisation}`);
  }
  if (objective === 'label') return;
  const rule = 'must go with the label alone, since it works against a reconstruction';
  throw new F3Error('F3_OPTION', `shield: ${rule}, got objective ${objective}`);
}

function checkAnswers(options: OwnerTrainingOptions): void {
  const { answers, maxRecovery, bottleneck, shield, objective = 'label' } = options;
  if (maxRecovery !== undefined && !(maxRecovery > 0 && maxRecovery <= 1)) {
    throw new F3Error('F3_OPTION', `most that is recovered: must be above 0 and at most 1, got ${maxRecovery}`);
  }
  if (maxRecovery !== undefined && answers === undefined) {
    const rule = 'must go with levels of answers, which are merged until it is kept to';
    throw new F3Error('F3_OPTION', `most that is recovered: ${rule}, got none`);
  }
  if (answers === undefined) return;
  if (!Number.isInteger(answers) || answers < 2 || answers > MOST_LEVELS) {
    throw new F3Error(
      'F3_OPTION',
      `levels of answers: must be a whole number from 2 to ${MOST_LEVELS}, got ${answers}`,
    );
  }
  if (bottleneck === undefined && !shield && objective === 'label') return;
  const rule = 'must go with the label alone, without bottleneck and shield, since no embedding leaves';
  const found = bottleneck !== undefined ? `a bottleneck of ${bottleneck}` : shield ? 'a shield' : objective;
  throw new F3Error('F3_OPTION', `answers: ${rule}, got ${found}`);
}
