// Which five owners the federation can least afford to lose: computed by the coordinator in the background, with progress.
import type { JSX } from 'preact';
import type { Criticality } from '../../../src/exchange/messages/what-if.ts';
import { ask, inFederation } from '../../coordinator/request.ts';
import { useLoaded } from '../../coordinator/use-loaded.ts';
import { ActButton } from '../../parts/act-button.tsx';
import { DataTable } from '../../parts/data-table.tsx';
import { Notice, WhenLoaded } from '../../parts/notice.tsx';
import { Panel } from '../../parts/panel.tsx';
import { shownChange, shownCount, shownShare } from '../../words/numbers.ts';

interface CriticalOwnersProps {
  federation: string;
  version: number;
  /** Switches these owners off. */
  onChoose(owners: string[]): void;
}

const POLL_MS = 700;

export function CriticalOwners({ federation, version, onChoose }: CriticalOwnersProps): JSX.Element {
  const path = inFederation(federation, 'models', version, 'criticality');
  const loaded = useLoaded<Criticality>(path, { every: (data) => (data?.state === 'running' ? POLL_MS : undefined) });
  const start = async (): Promise<void> => {
    await ask(path, { method: 'POST' });
    loaded.reload();
  };
  return (
    <Panel
      title="Which five owners can we least afford to lose?"
      remark="Each is the costliest beside those before it. The coordinator tries every owner, and keeps the answer with the model."
    >
      <WhenLoaded loaded={loaded} what="what is known of it">
        {(data) => (
          <>
            {data.state === 'none' && <ActButton act={start}>Find out</ActButton>}
            {data.state === 'running' && <Progress {...data} />}
            {data.state === 'failed' && (
              <Notice kind="problem" title="It could not be computed">
                <p>{data.error?.message}</p>
                <ActButton act={start}>Try again</ActButton>
              </Notice>
            )}
            {data.five.length > 0 && <Five data={data} onChoose={onChoose} />}
          </>
        )}
      </WhenLoaded>
    </Panel>
  );
}

const Progress = ({ done, of }: Criticality): JSX.Element => (
  <p role="status">
    <progress value={done} max={Math.max(1, of)} aria-label="Owners tried" /> {shownCount(done)} of {shownCount(of)}{' '}
    predictions of the part. You may leave this page meanwhile.
  </p>
);

function Five({
  data: { five, owners },
  onChoose,
}: {
  data: Criticality;
  onChoose(owners: string[]): void;
}): JSX.Element {
  const alone = new Map(owners.map((one) => [one.owner, one]));
  const cost = (value: number | null | undefined): string =>
    value === null || value === undefined ? '–' : shownChange(value);
  return (
    <div data-test="five">
      <DataTable
        caption="The five owners that cost most together"
        rows={five.map((one, at) => ({ ...one, at }))}
        keyOf={({ owner }) => owner}
        columns={[
          { name: 'Owner', cell: ({ owner, at }) => `${at + 1}. ${owner}`, isName: true },
          {
            name: 'Loss, together',
            says: 'How much the log loss rises without this one and those before it',
            cell: ({ loss }) => cost(loss),
            isNumber: true,
          },
          { name: 'ROC AUC, together', cell: ({ auc }) => cost(auc === null ? null : -auc), isNumber: true },
          { name: 'Predictions move', cell: ({ shift }) => shownShare(shift, 1), isNumber: true },
          { name: 'Loss, alone', cell: ({ owner }) => cost(alone.get(owner)?.loss), isNumber: true },
        ]}
      />
      <button type="button" class="small" onClick={() => onChoose(five.map(({ owner }) => owner))}>
        Switch these off
      </button>
    </div>
  );
}
