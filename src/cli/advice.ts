// Names the flag that helps against an error: library errors name an option, and this file translates it into a flag.
import { type ErrorCode, F3Error, type Remedy } from '../errors.ts';

/** Advice by the option that it is about. */
export const ADVICE: Record<Remedy, string> = {
  audit: '--audit-data names the data set to audit it with, --despite-audit sends it all the same',
  charter: '--charter states it',
  classes: '--classes names them all',
  data: '--data or F3_DATA names another folder',
  despiteAudit:
    'f3 owner train --preset private --max-recovery keeps to a limit, --noise hides more, --despite-audit sends it all the same',
  despiteModels: '--despite-models deletes it all the same',
  entityFolder: 'f3 entity init makes one, --data names another',
  federation: '--federation and --url choose one',
  gaps: '--gaps drop leaves such windows out',
  idColumn: 'if the first line is a header, name it with --id-column',
  neighbours: '--k sets them',
  newWidth: '--new-width sends it all the same',
  overwrite: '--force replaces it',
  pseudonymsCode: '--pseudonyms-code gives the code with which the key holder lets you in',
  rate: '--rate states it',
  rows: '--rows chooses them',
  share: 'owners send with --share',
  split: '--split names it',
  votes: 'owners leave them out with --no-votes',
  window: '--window takes a duration where rates differ',
  windowShape: '--window tells them, for example 12x2',
  without: '--without names those left out',
};

/** Errors from the coordinator carry no remedy, so it follows from their code. */
const REMEDIES_BY_CODE: Partial<Record<ErrorCode, Remedy>> = {
  F3_BUNDLE_IN_MODEL: 'despiteModels',
  F3_BUNDLE_WIDTH: 'newWidth',
  F3_SHARES_ONLY: 'share',
};

/** What to add to the error's message; undefined where no flag helps. */
export function adviceOn(error: unknown): string | undefined {
  if (!(error instanceof F3Error)) return undefined;
  const remedy = error.remedy ?? REMEDIES_BY_CODE[error.code];
  return remedy && ADVICE[remedy];
}
