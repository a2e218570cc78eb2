// The line that an import or a simulation prints at its end.
import type { ImportReport } from '../../data/import/import-report.ts';

export function importSummary({ out, owners, samples, classes, dropped }: ImportReport): string {
  const leftOut = dropped > 0 ? `; ${dropped} windows with gaps left out` : '';
  return `${out}: ${owners} owners, ${samples} samples (${classes.join(' + ')} by class)${leftOut}`;
}
