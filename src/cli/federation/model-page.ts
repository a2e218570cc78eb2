// Shows one model of a federation on a page: what it is, what it learned from, how good it is.
import type { ModelDetails } from '../../exchange/messages.ts';
import type { FusedCard } from '../../fuse/model/fused-card.ts';
import { aboutModel } from '../model/model-about.ts';
import { shownTime } from '../terminal/shown-time.ts';
import { factLines, indented, tableLines } from '../terminal/table.ts';
import { scoreComparison } from './score-comparison.ts';

export function modelPage(federation: string, details: ModelDetails): string {
  const { model, owners } = details;
  const { version, state, activated, requestedBy, labels, bundles } = model;
  const answered =
    activated && `${state === 'active' ? 'answers' : 'last began to answer'} ${shownTime(activated)} UTC`;
  const facts = factLines([
    ['state', [state, answered].filter(Boolean).join(', ')],
    ['asked for by', requestedBy],
    ['labels', labels === null ? undefined : `version ${labels}`],
    // The hash of the weights is left to --json.
    ...aboutModel(details as unknown as FusedCard).filter(([label]) => label !== 'weights'),
  ]);
  const rows = owners.map(({ owner, width }) => ({ owner, width, bundle: bundles[owner] }));
  const columns = [
    { title: 'owner', cell: ({ owner }: (typeof rows)[number]) => owner },
    { title: 'bundle', cell: ({ bundle }: (typeof rows)[number]) => bundle },
    { title: 'width', cell: ({ width }: (typeof rows)[number]) => width },
  ];
  return [
    `model ${version} of federation ${federation}`,
    ...indented(facts),
    '',
    ...scoreComparison([{ ...details, version, state }]),
    '',
    ...tableLines(columns, rows),
  ].join('\n');
}
