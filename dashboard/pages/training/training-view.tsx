// One training from its start to its end: where it stands, its curves as they grow, time left, cancel, log, what became of it.
import type { JSX } from 'preact';
import { useEffect } from 'preact/hooks';
import type { CurvePoint, TrainingEntry } from '../../../src/exchange/messages/training-list.ts';
import type { Promotion } from '../../../src/exchange/messages.ts';
import { LineChart, type Point } from '../../charts/line-chart.tsx';
import { ask, inFederation } from '../../coordinator/request.ts';
import { ActButton } from '../../parts/act-button.tsx';
import { Badge } from '../../parts/badge.tsx';
import { Notice } from '../../parts/notice.tsx';
import { type Fact, Facts, Panel } from '../../parts/panel.tsx';
import { linkTo } from '../../route.ts';
import { counted, shownCount, shownNumber, shownSpan } from '../../words/numbers.ts';
import { Time } from '../../words/times.tsx';
import { TONES, whatWords } from './training-page.tsx';
import { isOver, type TrainingTrace, traceOf } from './training-trace.ts';

interface TrainingViewProps {
  federation: string;
  entry: TrainingEntry;
  workers: number | undefined;
  onChange(): void;
}

export function TrainingView({ federation, entry, workers, onChange }: TrainingViewProps): JSX.Element {
  const trace = traceOf(entry.id);
  useEffect(() => trace.follow(federation, entry.id), [federation, entry.id]);
  useEffect(() => {
    void trace.recall(federation, entry.id);
  }, [federation, entry.id, entry.state]);
  const state = trace.latest.value.state ?? entry.state;
  useEffect(() => {
    if (isOver(state) && !isOver(entry.state)) onChange();
  }, [state]);
  const cancel = async (): Promise<void> => {
    await ask(inFederation(federation, 'trainings', entry.id, 'cancel'), { method: 'POST' });
    onChange();
  };
  return (
    <Panel
      title={`Run ${entry.id.slice(0, 8)}`}
      remark={`${whatWords(entry)}, labels version ${entry.labels}, asked by ${entry.requestedBy}.`}
      actions={
        <>
          <span data-test="state">
            <Badge tone={TONES[state]}>{state}</Badge>
          </span>
          {!isOver(state) && (
            <ActButton class="small" act={cancel} confirm="Cancel this training? What it learned is lost.">
              Cancel
            </ActButton>
          )}
        </>
      }
    >
      <Outcome entry={entry} state={state} workers={workers} federation={federation} trace={trace} />
      <Facts facts={factsOf(entry, trace)} />
      <Curves
        epochs={trace.epochs.value}
        best={trace.latest.value.bestEpoch ?? (entry.progress?.bestEpoch as number | undefined)}
      />
      <p class="unseen" aria-live="polite">
        {spoken(state, trace)}
      </p>
      <Log trace={trace} />
    </Panel>
  );
}

interface OutcomeProps {
  entry: TrainingEntry;
  state: TrainingEntry['state'];
  workers: number | undefined;
  federation: string;
  trace: TrainingTrace;
}

function Outcome({ entry, state, workers, federation, trace }: OutcomeProps): JSX.Element | null {
  if (state === 'failed' && entry.error) {
    return (
      <Notice kind="problem" title="It failed">
        <p>
          {entry.error.message} <code>{entry.error.code}</code>
        </p>
        <p>Change what the message names and start again; nothing else was changed by it.</p>
      </Notice>
    );
  }
  if (state === 'queued' && workers === 0) {
    return (
      <Notice title="Nobody takes trainings at the moment">
        Start a worker (<code>f3 worker</code>), or the coordinator without <code>--no-work</code>; this one then begins
        by itself.
      </Notice>
    );
  }
  const place = trace.latest.value.place ?? entry.place;
  if (state === 'queued' && place) {
    return (
      <p>
        It waits at place {place} of the queue
        {workers === undefined ? '' : `; ${counted(workers, 'worker')} ${workers === 1 ? 'takes' : 'take'} trainings`}.
      </p>
    );
  }
  if (!entry.model) return null;
  const promotion = entry.promotion as unknown as Promotion | null;
  return (
    <p data-test="outcome">
      It made <a href={linkTo(federation, 'models', [entry.model])}>model {entry.model}</a>
      {promotion && `, which ${promotion.promoted ? 'answers now' : 'is kept as a candidate'}: ${promotion.reason}`}.
    </p>
  );
}

function factsOf(entry: TrainingEntry, trace: TrainingTrace): Fact[] {
  const event = { ...entry.progress, ...trace.latest.value } as { [name: string]: number | undefined };
  const { epoch, epochs, bestEpoch, validationLoss, trainLoss, member, members } = event;
  const search = trace.latest.value.search;
  const over = isOver(trace.latest.value.state ?? entry.state);
  const facts: Fact[] = search
    ? [
        {
          name: 'Fits tried',
          value: `${search.done}${search.total ? ` of ${search.total}` : ''}`,
          remark: search.best && `best: ${search.best.name}`,
        },
      ]
    : [
        {
          name: 'Epoch',
          value: epoch ? shownCount(epoch) : '–',
          remark: epochs ? `of at most ${shownCount(epochs)}` : undefined,
        },
      ];
  if (members) facts.push({ name: 'Model of the ensemble', value: `${(member ?? 0) + 1} of ${members}` });
  facts.push(
    {
      name: 'Validation loss',
      value: shownNumber(validationLoss),
      remark: bestEpoch ? `lowest at epoch ${bestEpoch}` : undefined,
    },
    { name: 'Training loss', value: shownNumber(trainLoss) },
  );
  if (over) {
    const took =
      entry.started && entry.finished ? (Date.parse(entry.finished) - Date.parse(entry.started)) / 1000 : null;
    facts.push({ name: 'Took', value: took === null ? '–' : shownSpan(took), remark: <Time at={entry.finished} /> });
  } else {
    const left = search?.secondsLeft ?? secondsLeft(entry.started, epoch, epochs);
    facts.push({
      name: 'Time left',
      value: left === null ? '–' : shownSpan(left),
      remark: left === null ? 'known after some epochs' : 'at most; it stops early when nothing improves',
    });
  }
  const worker = trace.latest.value.worker ?? entry.worker;
  if (worker) facts.push({ name: 'Worker', value: <span class="long">{worker}</span> });
  return facts;
}

/** From the pace so far. A training that makes several fits starts its epochs anew, so this is about the fit under way. */
function secondsLeft(started: string | null, epoch: number | undefined, epochs: number | undefined): number | null {
  if (!started || !epoch || !epochs || epoch < 2) return null;
  return ((Date.now() - Date.parse(started)) / 1000 / epoch) * (epochs - epoch);
}

/** Where a fit begins: its epochs count from the start again. */
const beginsFit = (epochs: CurvePoint[], at: number): boolean => at > 0 && epochs[at].epoch <= epochs[at - 1].epoch;

/** Fits stand one after the other, with a gap between them. */
export function curveOf(epochs: CurvePoint[], of: 'trainLoss' | 'validationLoss'): Point[] {
  return epochs.flatMap((one, at): Point[] => {
    const point: Point = [one.number, one[of]];
    return beginsFit(epochs, at) ? [[one.number - 0.5, null], point] : [point];
  });
}

function Curves({ epochs, best }: { epochs: CurvePoint[]; best: number | undefined }): JSX.Element {
  if (epochs.length === 0) return <p class="loading">No epoch has ended yet …</p>;
  const starts = epochs.flatMap((_, at) => (beginsFit(epochs, at) ? [at] : []));
  const marks = starts.map((at, fit) => ({ x: epochs[at].number, name: `fit ${fit + 2}` }));
  const marked = epochs.find((one, at) => at >= (starts.at(-1) ?? 0) && one.epoch === best);
  if (marked) marks.push({ x: marked.number, name: 'best' });
  const isWithheld = epochs.every(({ validationLoss, trainLoss }) => validationLoss === null && trainLoss === null);
  if (isWithheld) return <p class="faint">Losses of this training are withheld by the label holder’s rules.</p>;
  return (
    <LineChart
      label="Losses by epoch."
      x={starts.length > 0 ? 'epoch, over all fits' : 'epoch'}
      y="loss"
      marks={marks}
      showX={(x) => shownCount(Math.round(x))}
      isWhole
      series={[
        { name: 'validation', colour: 1, points: curveOf(epochs, 'validationLoss') },
        { name: 'training', colour: 3, points: curveOf(epochs, 'trainLoss'), isDashed: true },
      ]}
    />
  );
}

/** One sentence now and then, not one per epoch. */
function spoken(state: string, trace: TrainingTrace): string {
  const { epoch = 0, epochs } = trace.latest.value;
  if (state === 'running' && epoch >= 10) return `Training, epoch ${Math.floor(epoch / 10) * 10} of at most ${epochs}.`;
  return `Training ${state}.`;
}

function Log({ trace }: { trace: TrainingTrace }): JSX.Element {
  const lines = trace.log.value;
  return (
    <details class="log">
      <summary>Log, {counted(lines.length, 'line')}</summary>
      <ol>
        {[...lines].reverse().map(({ at, text }, place) => (
          <li key={lines.length - place}>
            <Time at={at} of="clock" /> {text}
          </li>
        ))}
      </ol>
    </details>
  );
}
