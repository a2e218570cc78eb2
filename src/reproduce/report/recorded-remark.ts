// Says in a sentence whether a run gave the figures on record in expected.json, so that nobody compares them by eye.
import type { ExperimentResult } from '../experiment.ts';
import type { RecordedFigures } from '../experiment-files.ts';

/** Half a unit of the third digit, the last one that tables show. */
const ROUNDING = 0.0005;
/** This many figures that differ are named; more are counted. */
const MOST_NAMED = 5;

/**
 * There is no remark where nothing is on record, or under another number of seeds, or for Table 4, whose seconds and
 * megabytes belong to a machine.
 */
export function recordedRemark(
  { name, seeds, values }: Pick<ExperimentResult, 'name' | 'seeds' | 'values'>,
  recorded: RecordedFigures | undefined,
): string | undefined {
  if (!recorded || recorded.seeds !== seeds || name === 'table-4') return undefined;
  const known = Object.entries(values).filter(([key]) => key in recorded.values && !key.endsWith('Deviation'));
  if (known.length === 0) return undefined;
  const differing = known.filter(([key, value]) => {
    const spread = recorded.values[`${key}Deviation`] ?? 0;
    return Math.abs(definedOr0(value) - definedOr0(recorded.values[key])) > spread + ROUNDING;
  });
  const counted = `${known.length - differing.length} of ${known.length} figures are those on record in experiments/${name}/expected.json`;
  const rule = 'within the standard deviation recorded with them, or to three digits where there is none';
  if (differing.length === 0) return `${counted}, ${rule}.`;
  const listed = differing
    .slice(0, MOST_NAMED)
    .map(([key, value]) => `${key} ${show(value)}, not ${show(recorded.values[key])}`);
  const more = differing.length > MOST_NAMED ? `; and ${differing.length - MOST_NAMED} more` : '';
  return `${counted}, ${rule}. Others: ${listed.join('; ')}${more}.`;
}

/** A score that is not defined is NaN here and null in the file; two of them are the same. */
const definedOr0 = (value: number | null): number => (Number.isFinite(value) ? (value as number) : 0);

const show = (value: number | null): string => (Number.isFinite(value) ? (value as number).toFixed(3) : 'undefined');
