// Trainings: start one with defaults that fit most, watch it, lay several over each other, read what became of it.
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { TrainingEntry, TrainingList } from '../../../src/exchange/messages/training-list.ts';
import type { FederationStatus } from '../../../src/exchange/messages.ts';
import { inFederation } from '../../coordinator/request.ts';
import { useLoaded } from '../../coordinator/use-loaded.ts';
import { Badge, type Tone } from '../../parts/badge.tsx';
import { Command } from '../../parts/copy-button.tsx';
import { DataTable } from '../../parts/data-table.tsx';
import { Notice, WhenLoaded } from '../../parts/notice.tsx';
import { PageHead, Panel } from '../../parts/panel.tsx';
import { goTo, linkTo } from '../../route.ts';
import { shownNumber } from '../../words/numbers.ts';
import { readinessOf } from '../../words/readiness.ts';
import { Time } from '../../words/times.tsx';
import { OverlayChart } from './overlay-chart.tsx';
import { TrainingForm } from './training-form.tsx';
import { isOver } from './training-trace.ts';
import { TrainingView } from './training-view.tsx';

interface TrainingPageProps {
  federation: string;
  /** Id of the training that is shown. */
  chosen: string | undefined;
  query: URLSearchParams;
}

/** So many runs are listed, and so many when more are wanted. */
const [FEW, MANY] = [50, 200];
const RUNNING_MS = 2000;
const QUIET_MS = 10_000;

export const TONES: Record<TrainingEntry['state'], Tone> = {
  queued: 'plain',
  running: 'busy',
  done: 'good',
  failed: 'bad',
  cancelled: 'warn',
};

export function TrainingPage({ federation, chosen }: TrainingPageProps): JSX.Element {
  const [limit, setLimit] = useState(FEW);
  const list = useLoaded<TrainingList>(`${inFederation(federation, 'trainings')}?limit=${limit}`, {
    every: (data) => (data?.trainings.some(({ state }) => !isOver(state)) ? RUNNING_MS : QUIET_MS),
  });
  const status = useLoaded<FederationStatus>(inFederation(federation));
  const [overlaid, setOverlaid] = useState<string[]>([]);
  const trainings = list.data?.trainings ?? [];
  const shown = trainings.find(({ id }) => id === chosen) ?? (chosen ? undefined : trainings[0]);
  const readiness = status.data && readinessOf(status.data);
  const toggle = (id: string): void =>
    setOverlaid((ids) => (ids.includes(id) ? ids.filter((one) => one !== id) : [...ids.slice(-6), id]));
  const runs = overlaid.flatMap((id) => trainings.find((one) => one.id === id) ?? []);
  return (
    <>
      <PageHead title="Training">{readiness?.sentence}</PageHead>
      <TrainingForm
        federation={federation}
        isOnShares={typeof status.data?.charter === 'string'}
        isReady={readiness?.isReady ?? true}
        reason={readiness?.next ?? ''}
        onStart={(id) => {
          list.reload();
          goTo(linkTo(federation, 'training', [id]));
        }}
      />
      {list.data && chosen && !shown && (
        <Notice title={`There is no run ${chosen.slice(0, 8)} among the last ${trainings.length}`}>
          Choose one from the table. Older ones:{' '}
          <Command line={`f3 federation train ${federation} --follow ${chosen}`} />
        </Notice>
      )}
      {shown && (
        <TrainingView
          key={shown.id}
          federation={federation}
          entry={shown}
          workers={list.data?.workers}
          onChange={list.reload}
        />
      )}
      {runs.length > 1 && <OverlayChart federation={federation} runs={runs} />}
      <Panel title="Runs" remark="Choose two or more to lay their curves over each other.">
        <WhenLoaded loaded={list} what="trainings">
          {(data) => (
            <RunsTable
              federation={federation}
              trainings={data.trainings}
              shown={shown?.id}
              overlaid={overlaid}
              toggle={toggle}
            />
          )}
        </WhenLoaded>
        {list.data?.next && limit < MANY && (
          <p class="more">
            <button type="button" onClick={() => setLimit(MANY)}>
              Show the last {MANY}
            </button>
          </p>
        )}
      </Panel>
    </>
  );
}

interface RunsTableProps {
  federation: string;
  trainings: TrainingEntry[];
  shown: string | undefined;
  overlaid: string[];
  toggle(id: string): void;
}

function RunsTable({ federation, trainings, shown, overlaid, toggle }: RunsTableProps): JSX.Element {
  return (
    <DataTable
      caption="Trainings, the newest first"
      rows={trainings}
      keyOf={({ id }) => id}
      textOf={({ id, method, requestedBy, state }) => `${id} ${method} ${requestedBy} ${state}`}
      isChosen={({ id }) => id === shown}
      empty={
        <Notice title="Nothing was trained yet">Start a training above; the defaults fit most federations.</Notice>
      }
      columns={[
        {
          name: 'Run',
          cell: ({ id }) => (
            <a href={linkTo(federation, 'training', [id])}>
              <code>{id.slice(0, 8)}</code>
            </a>
          ),
          isName: true,
        },
        {
          name: 'Overlay',
          cell: ({ id }) => (
            <input
              type="checkbox"
              aria-label={`Lay run ${id.slice(0, 8)} over others`}
              checked={overlaid.includes(id)}
              onChange={() => toggle(id)}
            />
          ),
        },
        {
          name: 'State',
          cell: ({ state, place }) => <Badge tone={TONES[state]}>{place ? `queued, place ${place}` : state}</Badge>,
          by: ({ state }) => state,
        },
        { name: 'What', cell: whatWords, by: whatWords },
        { name: 'Asked by', cell: ({ requestedBy }) => requestedBy, by: ({ requestedBy }) => requestedBy },
        { name: 'Asked', cell: ({ created }) => <Time at={created} />, by: ({ created }) => created },
        { name: 'Epoch', cell: ({ progress }) => epochWords(progress), isNumber: true },
        {
          name: 'Validation loss',
          cell: ({ progress }) => shownNumber(progress?.validationLoss as number | undefined),
          by: ({ progress }) => progress?.validationLoss as number | undefined,
          isNumber: true,
        },
        {
          name: 'Model',
          cell: ({ model }) => (model ? <a href={linkTo(federation, 'models', [model])}>model {model}</a> : '–'),
          by: ({ model }) => model,
        },
      ]}
    />
  );
}

export function whatWords({ method, fits, refits, owners }: TrainingEntry): string {
  if (refits) return `refit of ${refits}`;
  return `${method}${fits ? `, ${fits} fits` : ''}, ${owners} owners`;
}

function epochWords(progress: TrainingEntry['progress']): string {
  if (!progress) return '–';
  const { search } = progress as { search?: { done: number; total?: number } };
  if (search) return `fit ${search.done}${search.total ? ` of ${search.total}` : ''}`;
  return progress.epoch === undefined ? '–' : `${progress.epoch} of ${progress.epochs}`;
}
