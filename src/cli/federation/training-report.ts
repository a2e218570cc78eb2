// Reports how a training ended: its model's scores beside those of the previous model, and which of them answers now.
import type { CoordinatorClient } from '../../exchange/client/coordinator-client.ts';
import type { ListedModel, TrainingStatus } from '../../exchange/messages.ts';
import { scoreComparison } from './score-comparison.ts';

export interface TrainingReport {
  training: TrainingStatus;
  /** The model that was active before, if there was one, and the new one. */
  models: ListedModel[];
  text: string;
}

export async function trainingReport(
  client: CoordinatorClient,
  federation: string,
  training: TrainingStatus,
): Promise<TrainingReport> {
  const { id, model: version, promotion } = training;
  const wanted = [promotion?.before, version];
  const models = (await client.models(federation)).filter((model) => wanted.includes(model.version));
  const lines = [
    `training ${id} done: model ${version} of federation ${federation}`,
    ...(models.length > 0 ? scoreComparison(models) : []),
    ...(promotion ? outcome(federation, Number(version), promotion) : []),
  ];
  return { training, models, text: lines.join('\n') };
}

function outcome(federation: string, version: number, promotion: NonNullable<TrainingStatus['promotion']>): string[] {
  const { promoted, reason, before } = promotion;
  if (promoted) {
    const back = before === null ? [] : [`f3 federation activate ${federation} ${before} goes back to model ${before}`];
    return [`model ${version} answers from now on: ${reason}`, ...back];
  }
  const answers = before === null ? 'no model answers yet' : `model ${before} answers as before`;
  return [
    `model ${version} is a candidate, ${answers}: ${reason}`,
    `an operator lets it answer with f3 federation promote ${federation} ${version}`,
  ];
}
