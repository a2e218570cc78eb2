// Whether a run gave the figures on record in expected.json, in a sentence, so that nobody has to compare them by eye.
import type { ExperimentResult } from '../experiment.ts';
import type { RecordedFigures } from '../experiment-files.ts';

/** Half a unit of the third digit, the last one that tables show. */
const ROUNDING = 0.0005;
/** More strangers than these are counted, not named. */
const NAMED = 5;

/**
 * Nothing where nothing is on record, or under another number of seeds. Table 4 is left out: seconds and megabytes belong
 * to a machine.
 */
export function recordedRemark(
  { name, seeds, values }: Pick<ExperimentResult, 'name' | 'seeds' | 'values'>,
  recorded: RecordedFigures | undefined,
): string | undefined {
  if (!recorded || recorded.seeds !== seeds || name === 'table-4') return undefined;
  const known = Object.entries(values).filter(([key]) => key in recorded.values && !key.endsWith('Deviation'));
  if (known.length === 0) return undefined;
  const strangers = known.filter(([key, value]) => {
    const spread = recorded.values[`${key}Deviation`] ?? 0;
    return Math.abs(definedOr0(value) - definedOr0(recorded.values[key])) > spread + ROUNDING;
  });
  const counted = `${known.length - strangers.length} of ${known.length} figures are those on record in experiments/${name}/expected.json`;
  const rule = 'within the standard deviation recorded with them, or to three digits where there is none';
  if (strangers.length === 0) return `${counted}, ${rule}.`;
  const listed = strangers
    .slice(0, NAMED)
    .map(([key, value]) => `${key} ${show(value)}, not ${show(recorded.values[key])}`);
  const more = strangers.length > NAMED ? `; and ${strangers.length - NAMED} more` : '';
  return `${counted}, ${rule}. Others: ${listed.join('; ')}${more}.`;
}

/** A score that is not defined is NaN here and null in the file; two of them are the same. */
const definedOr0 = (value: number | null): number => (Number.isFinite(value) ? (value as number) : 0);

const show = (value: number | null): string => (Number.isFinite(value) ? (value as number).toFixed(3) : 'undefined');
