// Live: predictions as they come, who was present, how sure, how fast, how late; a sample opens to which owners pushed it.
import type { JSX } from 'preact';
import { useEffect, useMemo, useState } from 'preact/hooks';
import type { LivePrediction } from '../../../src/exchange/messages/live-events.ts';
import { LineChart } from '../../charts/line-chart.tsx';
import { Badge, ShareBar } from '../../parts/badge.tsx';
import { Notice } from '../../parts/notice.tsx';
import { Facts, PageHead, Panel } from '../../parts/panel.tsx';
import { shownCount, shownMilliseconds, shownShare } from '../../words/numbers.ts';
import { Time } from '../../words/times.tsx';
import { ExplanationPanel } from './explanation-panel.tsx';
import { LiveFeed, type LiveState } from './live-feed.ts';

const ROWS = 15;
const CHARTED = 120;

export function LivePage({ federation }: { federation: string }): JSX.Element {
  const feed = useMemo(() => new LiveFeed(), [federation]);
  useEffect(() => feed.open(federation), [feed]);
  const [chosen, setChosen] = useState<LivePrediction>();
  const state = feed.state.value;
  return (
    <>
      <PageHead title="Live">Predictions as this coordinator makes them, since the page was opened.</PageHead>
      {state.total === 0 ? (
        <Notice title="Waiting for the first prediction">
          <p>
            Owners send what they see with <code>f3 owner stream</code>; programs ask with{' '}
            <code>f3 federation predict</code>, or over HTTP with a token.
          </p>
        </Notice>
      ) : (
        <>
          <Facts facts={factsOf(state)} />
          {chosen && (
            <ExplanationPanel
              key={chosen.number}
              federation={federation}
              prediction={chosen}
              onClose={() => setChosen(undefined)}
            />
          )}
          <Charts state={state} />
          <Panel
            title="Last predictions"
            actions={
              <button
                type="button"
                class="small"
                aria-pressed={feed.isPaused.value}
                onClick={() => (feed.isPaused.value = !feed.isPaused.value)}
              >
                {feed.isPaused.value ? 'Go on' : 'Pause'}
              </button>
            }
          >
            <Stream state={state} chosen={chosen?.number} onChoose={setChosen} />
          </Panel>
        </>
      )}
    </>
  );
}

function factsOf({ predictions, total, late, perSecond }: LiveState) {
  const latencies = predictions.map(({ latencyMs }) => latencyMs).sort((a, b) => a - b);
  const present =
    predictions.reduce((sum, one) => sum + one.present / Math.max(1, one.owners), 0) / Math.max(1, predictions.length);
  const at = (share: number): string =>
    shownMilliseconds(latencies[Math.min(latencies.length - 1, Math.floor(share * latencies.length))] ?? 0);
  return [
    {
      name: 'Predictions',
      value: shownCount(total),
      remark: `${perSecond.toFixed(perSecond < 10 ? 1 : 0)} per second`,
    },
    {
      name: 'Owners present',
      value: shownShare(present),
      remark: `on average of the last ${shownCount(predictions.length)}`,
    },
    { name: 'Latency', value: at(0.5), remark: `95 % within ${at(0.95)}` },
    { name: 'Deadline misses', value: shownCount(late), remark: total > 0 ? shownShare(late / total, 1) : undefined },
  ];
}

function Charts({ state: { predictions } }: { state: LiveState }): JSX.Element {
  const last = predictions.slice(-CHARTED);
  const first = last[0]?.number ?? 0;
  return (
    <div class="columns">
      <Panel title="How sure">
        <LineChart
          label="Probability of the predicted class."
          x="prediction"
          y="probability"
          height={150}
          yDomain={[0, 1]}
          showX={(x) => shownCount(Math.round(x))}
          isWhole
          series={[
            {
              name: 'probability',
              colour: 1,
              points: last.map((one) => [one.number - first + 1, one.probability]),
            },
          ]}
        />
      </Panel>
      <Panel title="How fast">
        <LineChart
          label="Latency of predictions in milliseconds."
          x="prediction"
          y="latency, ms"
          height={150}
          showX={(x) => shownCount(Math.round(x))}
          isWhole
          series={[{ name: 'latency', colour: 4, points: last.map((one) => [one.number - first + 1, one.latencyMs]) }]}
        />
      </Panel>
    </div>
  );
}

/** Of an ensemble with how far its members are apart. */
const shownSureness = ({ probability, uncertainty }: LivePrediction): string =>
  uncertainty === undefined ? shownShare(probability) : `${(probability * 100).toFixed()} ± ${shownShare(uncertainty)}`;

const REMARKS: Record<LivePrediction['source'], string> = { live: 'in time', batch: 'a program asked' };

interface StreamProps {
  state: LiveState;
  chosen: number | undefined;
  onChoose(prediction: LivePrediction): void;
}

function Stream({ state: { predictions }, chosen, onChoose }: StreamProps): JSX.Element {
  return (
    <table class="stacks">
      <caption>The last predictions, the newest first</caption>
      <thead>
        <tr>
          <th scope="col">Sample</th>
          <th scope="col">When</th>
          <th scope="col">Class</th>
          <th scope="col" class="number">
            Probability
          </th>
          <th scope="col" class="number">
            Present
          </th>
          <th scope="col" class="number">
            Latency
          </th>
          <th scope="col">Remark</th>
        </tr>
      </thead>
      <tbody>
        {predictions
          .slice(-ROWS)
          .reverse()
          .map((one) => (
            <tr key={one.number} class={one.number === chosen ? 'chosen' : ''}>
              <th scope="row">
                {one.canExplain ? (
                  <button type="button" class="plain" title="Which owners pushed it?" onClick={() => onChoose(one)}>
                    {one.sample}
                  </button>
                ) : (
                  one.sample
                )}
              </th>
              <td data-label="When">
                <Time at={one.at} of="clock" />
              </td>
              <td data-label="Class">{one.class}</td>
              <td class="number" data-label="Probability">
                <ShareBar share={one.probability}>{shownSureness(one)}</ShareBar>
              </td>
              <td
                class="number"
                data-label="Present"
                title={one.absent.length > 0 ? `absent: ${one.absent.join(', ')}` : undefined}
              >
                {one.present} of {one.owners}
              </td>
              <td class="number" data-label="Latency">
                {shownMilliseconds(one.latencyMs)}
              </td>
              <td data-label="Remark">
                {one.isLate ? <Badge tone="warn">deadline</Badge> : <span class="faint">{REMARKS[one.source]}</span>}
              </td>
            </tr>
          ))}
      </tbody>
    </table>
  );
}
