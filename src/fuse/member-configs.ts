// [coordinator] The configs of an ensemble's members: one or several, each under as many seeds as fits were asked for.
import { F3Error } from '../errors.ts';
import { drawsBySeed, type FusionConfig } from './fusion-config.ts';

/** Each config under so many seeds. One that no seed changes is made once: its twins would agree about everything. */
export function memberConfigs(configs: readonly FusionConfig[], fits: number): FusionConfig[] {
  if (fits > 1 && !configs.some(drawsBySeed)) {
    const [{ method }] = configs;
    const found = method === 'boosting' ? 'boosting without owner dropout' : method;
    throw new F3Error('F3_ARGUMENT', `fits: must be 1 where no seed changes the model (method ${found}), got ${fits}`);
  }
  return configs.flatMap((config) =>
    Array.from({ length: drawsBySeed(config) ? fits : 1 }, (_, i) => ({ ...config, seed: config.seed + i })),
  );
}
