// How much of each quota is taken.
import { QUOTAS } from 'f3:quotas';
import type { JSX } from 'preact';
import type { QuotaUsage } from '../../../src/exchange/quotas.ts';
import { ShareBar } from '../../parts/badge.tsx';
import { DASH, DataTable } from '../../parts/data-table.tsx';
import { shownBytes, shownCount, shownShare } from '../../words/numbers.ts';

const NEARLY_FULL = 0.9;

export function QuotaTable({ quotas }: { quotas: QuotaUsage[] }): JSX.Element {
  const shown = ({ quota }: QuotaUsage, value: number): string =>
    QUOTAS[quota]?.isBytes ? shownBytes(value) : shownCount(value);
  const share = ({ used, most }: QuotaUsage): number => (most > 0 ? used / most : used > 0 ? 1 : 0);
  return (
    <DataTable
      caption="What is taken of each quota"
      rows={quotas}
      keyOf={({ quota }) => quota}
      columns={[
        { name: 'Quota', cell: ({ quota }) => QUOTAS[quota]?.says ?? quota, isName: true },
        {
          name: 'Taken',
          cell: (one) => (
            <ShareBar share={share(one)} tone={share(one) > NEARLY_FULL ? 'bad' : 'plain'}>
              {shownTaken(share(one))}
            </ShareBar>
          ),
          by: share,
          isNumber: true,
        },
        { name: 'Used', cell: (one) => shown(one, one.used), isNumber: true },
        { name: 'At most', cell: (one) => shown(one, one.most), isNumber: true },
        { name: 'By', cell: ({ member }) => member ?? DASH },
      ]}
    />
  );
}

/** What is taken is never shown as nothing, nor what is left. */
const shownTaken = (share: number): string =>
  share > 0 && share < 0.01 ? 'under 1 %' : share < 1 && share > 0.99 ? 'over 99 %' : shownShare(share);
