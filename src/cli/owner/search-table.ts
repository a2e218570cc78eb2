// What owners tried under `f3 owner train --preset auto`, a line per combination, over all owners that searched.
import type { ModelCard } from '../../embed/owner-model.ts';
import type { OwnerTrial } from '../../embed/owner-search.ts';
import { tableLines } from '../terminal/table.ts';

/** A combination: means over owners, and how many of them kept it. */
export interface SearchRow extends Omit<OwnerTrial, 'epochs'> {
  keptBy: number;
}

/** Owners that kept a model from before have no search and do not count. */
export function searchRows(cards: readonly ModelCard[]): SearchRow[] {
  const searches = cards.flatMap(({ search }) => (search ? [search] : []));
  return searches[0].tried.map(({ model, width, objective }, i) => {
    const mean = (of: 'validationLoss' | 'validationAccuracy' | 'seconds') =>
      searches.reduce((sum, { tried }) => sum + tried[i][of], 0) / searches.length;
    return {
      model,
      width,
      objective,
      validationLoss: mean('validationLoss'),
      validationAccuracy: mean('validationAccuracy'),
      seconds: mean('seconds'),
      keptBy: searches.filter(({ chosen }) => chosen === i).length,
    };
  });
}

export const searchLines = (rows: readonly SearchRow[]): string[] =>
  tableLines<SearchRow>(
    [
      { title: 'tried', cell: ({ model, width, objective }) => `${model}, ${width} wide, ${objective}` },
      { title: 'validation loss', cell: ({ validationLoss }) => validationLoss, digits: 3 },
      { title: 'accuracy', cell: ({ validationAccuracy }) => validationAccuracy, digits: 3 },
      { title: 's per owner', cell: ({ seconds }) => seconds, digits: 1 },
      { title: 'kept by', cell: ({ keptBy }) => keptBy },
    ],
    rows,
  );
