// Refuses options of a fusion that would have no effect, because whoever gave them expects one.
import { F3Error } from '../../errors.ts';
import { type FieldPurpose, firstMissed, GIVEN_GRAPH_PURPOSES, missedPurpose } from '../../fuse/field-purposes.ts';
import type { FusionConfig } from '../../fuse/fusion-config.ts';
import { configOf, FUSION_FIELDS, type FusionOptions, flagOf, givenValue } from './fusion-options.ts';

/** Whether an option has an effect depends on the config that preset, row and options make together. */
export function refuseIdleOptions(options: FusionOptions): void {
  if (options.preset === 'auto') return; // the search knows which configs it tries, and refuses what none of them uses
  const config = configOf(options);
  for (const field of FUSION_FIELDS) {
    if (givenValue(options, field) === undefined) continue;
    const missed = missedPurpose(field, config);
    if (missed) throw idleOption(flagOf(options, field), missed, config);
  }
  const missed = firstMissed(GIVEN_GRAPH_PURPOSES, config);
  if (missed && options.adjacency !== undefined) throw idleOption('--adjacency', missed, config);
  if (!missed && options.adjacency === undefined) {
    throw new F3Error('F3_OPTION', '--graph given: the graph must be named with --adjacency, got none');
  }
}

function idleOption(flag: string, { field, values }: FieldPurpose, config: FusionConfig): F3Error {
  const rule = `is for --${field} ${values.join(' or ')} only`;
  return new F3Error('F3_OPTION', `${flag}: ${rule}, got --${field} ${config[field]}`);
}
