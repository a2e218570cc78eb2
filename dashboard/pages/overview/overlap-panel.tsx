// Which samples the owners have in common: by number of owners, pair by pair, and the most frequent groups (UpSet).
import type { JSX } from 'preact';
import { useMemo } from 'preact/hooks';
import type { Overlap } from '../../../src/exchange/messages/overlap.ts';
import { BarChart } from '../../charts/bar-chart.tsx';
import { HeatMap } from '../../charts/heat-map.tsx';
import type { Loaded } from '../../coordinator/use-loaded.ts';
import { ShareBar } from '../../parts/badge.tsx';
import { WhenLoaded } from '../../parts/notice.tsx';
import { Panel } from '../../parts/panel.tsx';
import { counted, listed, shownCount, shownShare } from '../../words/numbers.ts';

export function OverlapPanel({ loaded }: { loaded: Loaded<Overlap> }): JSX.Element {
  return (
    <Panel title="Samples in common" remark={loaded.data && said(loaded.data)}>
      <WhenLoaded loaded={loaded} what="which samples the owners have in common">
        {(overlap) => (
          <div class="columns">
            <div>
              <h3>Samples by how many owners saw them</h3>
              <SizeChart overlap={overlap} />
              <Groups overlap={overlap} />
            </div>
            {overlap.pairs && overlap.owners.length > 1 && (
              <div>
                <h3>Pairs of owners</h3>
                <Pairs owners={overlap.owners} pairs={overlap.pairs} />
              </div>
            )}
          </div>
        )}
      </WhenLoaded>
    </Panel>
  );
}

function said({ sets, all, owners }: Overlap): string {
  const byAll = sets.find((set) => set.owners === owners.length)?.samples ?? 0;
  const share = all > 0 ? ` (${shownShare(byAll / all)})` : '';
  return `${shownCount(byAll)} of ${counted(all, 'sample')}${share} were seen by all ${counted(owners.length, 'owner')} that have sent.`;
}

/** Bars for up to sixty numbers of owners; above that, neighbouring numbers share a bar. */
function SizeChart({ overlap: { sets, owners } }: { overlap: Overlap }): JSX.Element {
  const step = Math.ceil(owners.length / 60);
  const bars = Array.from({ length: Math.ceil(owners.length / step) }, (_, at) => {
    const [from, to] = [at * step + 1, Math.min(owners.length, (at + 1) * step)];
    const value = sets
      .filter((set) => set.owners >= from && set.owners <= to)
      .reduce((sum, set) => sum + set.samples, 0);
    return { name: from === to ? String(from) : `${from}–${to}`, value };
  });
  return (
    <BarChart
      label="Samples by the number of owners that saw them."
      bars={bars}
      x="owners that saw a sample"
      unit="samples"
      isRoot
    />
  );
}

function Pairs({ owners, pairs }: { owners: string[]; pairs: number[] }): JSX.Element {
  const n = owners.length;
  // A cell is the share of the smaller owner's samples that the other has too, so that small owners are seen as well. The
  // lightest cell is the smallest share there is, since pairs often differ by little.
  const shares = useMemo(() => {
    const own = (at: number): number => Math.max(1, pairs[at * (n + 1)]);
    const all = pairs.map((value, at) => value / Math.min(own(Math.floor(at / n)), own(at % n)));
    const lowest = all.reduce((a, b) => Math.min(a, b), 1);
    return all.map((share) => (share - lowest) / Math.max(1e-9, 1 - lowest));
  }, [pairs, n]);
  return (
    <HeatMap
      label="The stronger the colour, the more of their samples two owners have in common."
      rows={n}
      columns={n}
      values={shares}
      says={(row, column) =>
        `${owners[row]} and ${owners[column]}: ${counted(pairs[row * n + column], 'sample')} in common`
      }
    />
  );
}

function Groups({ overlap: { top, all, owners } }: { overlap: Overlap }): JSX.Element | null {
  if (top.length < 2) return null;
  const most = Math.max(...top.map(({ samples }) => samples));
  return (
    <table class="groups">
      <caption>The most frequent groups: samples that exactly these owners saw</caption>
      <thead>
        <tr>
          <th scope="col">Owners</th>
          <th scope="col" class="number">
            Samples
          </th>
        </tr>
      </thead>
      <tbody>
        {top.slice(0, 10).map(({ owners: names, size, samples }) => (
          <tr key={names?.join() ?? size}>
            <th scope="row">{groupWords(names, size, owners)}</th>
            <td class="number">
              <ShareBar share={samples / most}>{shownCount(samples)}</ShareBar>{' '}
              <span class="faint">{shownShare(samples / Math.max(1, all), 1)}</span>
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** Names the few: those who saw, or those who did not. */
function groupWords(names: string[] | null, size: number, all: string[]): string {
  if (size === all.length) return 'all';
  if (!names) return `${counted(size, 'owner')} of ${all.length}`;
  if (names.length <= all.length / 2) return listed(names, 3);
  return `all but ${listed(
    all.filter((owner) => !names.includes(owner)),
    3,
  )}`;
}
