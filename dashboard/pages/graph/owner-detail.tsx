// One owner of a model: whom it is tied to, how its embeddings are turned into the common space, what its absence costs.
import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import type { ModelAlignment } from '../../../src/exchange/messages/alignments.ts';
import type { WhatIf } from '../../../src/exchange/messages/what-if.ts';
import { HeatMap } from '../../charts/heat-map.tsx';
import { ask, inFederation } from '../../coordinator/request.ts';
import { useLoaded } from '../../coordinator/use-loaded.ts';
import { ShareBar } from '../../parts/badge.tsx';
import { Panel } from '../../parts/panel.tsx';
import { counted, shownChange, shownNumber, shownScore, shownShare } from '../../words/numbers.ts';
import { scoreDigits } from '../../words/told.ts';

interface OwnerDetailProps {
  federation: string;
  version: number;
  owner: string;
  neighbours: { owner: string; probability: number }[];
  onChoose(owner: string): void;
  onClose(): void;
}

const MOST_NEIGHBOURS = 12;

export function OwnerDetail({
  federation,
  version,
  owner,
  neighbours,
  onChoose,
  onClose,
}: OwnerDetailProps): JSX.Element {
  const alignment = useLoaded<ModelAlignment>(inFederation(federation, 'models', version, 'alignments', owner));
  return (
    <Panel
      title={owner}
      actions={
        <button type="button" class="small" onClick={onClose}>
          Close
        </button>
      }
    >
      <AbsenceCost {...{ federation, version, owner }} />
      <h3>Tied to {counted(neighbours.length, 'owner')}</h3>
      <ul class="neighbours">
        {neighbours.slice(0, MOST_NEIGHBOURS).map((one) => (
          <li key={one.owner}>
            <button type="button" class="plain" onClick={() => onChoose(one.owner)}>
              {one.owner}
            </button>
            <ShareBar share={one.probability}>{shownScore(one.probability, 2)}</ShareBar>
          </li>
        ))}
      </ul>
      {alignment.data && alignment.data.kind !== 'none' && <Alignment alignment={alignment.data} />}
      {alignment.data?.kind === 'none' && (
        <p class="faint">This model takes embeddings as they come: it has no alignment.</p>
      )}
    </Panel>
  );
}

/** What the validation part loses when this owner alone is absent. */
export function AbsenceCost({
  federation,
  version,
  owner,
}: {
  federation: string;
  version: number;
  owner: string;
}): JSX.Element {
  const [cost, setCost] = useState<WhatIf | string>();
  useEffect(() => {
    const ending = new AbortController();
    ask<WhatIf>(inFederation(federation, 'models', version, 'what-if'), {
      method: 'POST',
      body: { absent: [owner] },
      signal: ending.signal,
    }).then(setCost, (error) => ending.signal.aborted || setCost((error as Error).message));
    return () => ending.abort();
  }, [federation, version, owner]);
  if (cost === undefined) return <p class="loading">Asking what its absence costs …</p>;
  if (typeof cost === 'string') return <p class="faint">What its absence costs is not known: {cost}</p>;
  const { base, scores, shift, flips, samples, told } = cost;
  const auc = base.auc === null || scores.auc === null ? null : scores.auc - base.auc;
  return (
    <p>
      Without it {auc === null ? '' : `ROC AUC changes by ${shownChange(auc, scoreDigits(told))}, `}
      probabilities move by {shownShare(shift, 1)} on average and {counted(flips, 'sample')} of {samples}{' '}
      {flips === 1 ? 'gets' : 'get'} another class.
    </p>
  );
}

function Alignment({ alignment }: { alignment: ModelAlignment }): JSX.Element {
  const { kind, rows, columns, values, permutation, averaged } = alignment;
  const label =
    kind === 'hard'
      ? 'Hard alignment: nearly a permutation, each coordinate takes the place of another.'
      : 'Soft alignment: how coordinates of its embedding (columns) become those of the common space (rows).';
  return (
    <>
      <h3>Alignment</h3>
      <HeatMap
        label={label}
        {...{ rows, columns, values }}
        isSigned
        says={(row, column, value) => `row ${row + 1}, column ${column + 1}: ${shownNumber(value)}`}
      />
      {averaged && <p class="faint">It is larger; cells are averages of blocks.</p>}
      {permutation && permutation.length <= 64 && (
        <p class="permutation">
          <span class="faint">Coordinates in their new order:</span> {permutation.map((column) => column + 1).join(' ')}
        </p>
      )}
    </>
  );
}
