// Which owners pushed a prediction which way, as a waterfall from the largest effect to the smallest, and who was absent.
import type { JSX } from 'preact';
import type { LiveExplanation, LivePrediction } from '../../../src/exchange/messages/live-events.ts';
import { inFederation } from '../../coordinator/request.ts';
import { useLoaded } from '../../coordinator/use-loaded.ts';
import { WhenLoaded } from '../../parts/notice.tsx';
import { Panel } from '../../parts/panel.tsx';
import { counted, listed, shownShare } from '../../words/numbers.ts';
import { Time } from '../../words/times.tsx';

interface ExplanationPanelProps {
  federation: string;
  prediction: LivePrediction;
  onClose(): void;
}

const MOST_BARS = 12;
/** Effects below a hundredth do not fill the chart. */
const LEAST_SCALE = 0.02;

export function ExplanationPanel({ federation, prediction, onClose }: ExplanationPanelProps): JSX.Element {
  const loaded = useLoaded<LiveExplanation>(inFederation(federation, 'live', prediction.sample, 'explanation'));
  return (
    <Panel
      title={`Sample ${prediction.sample}`}
      remark={
        <>
          {prediction.class} at <Time at={prediction.at} of="clock" />, {prediction.present} of{' '}
          {counted(prediction.owners, 'owner')} present.
        </>
      }
      actions={
        <button type="button" class="small" onClick={onClose}>
          Close
        </button>
      }
    >
      <WhenLoaded loaded={loaded} what="which owners pushed it">
        {(explanation) => <Waterfall explanation={explanation} />}
      </WhenLoaded>
    </Panel>
  );
}

function Waterfall({ explanation }: { explanation: LiveExplanation }): JSX.Element {
  const { base, owners, absent, class: predicted } = explanation;
  const shown = owners.slice(0, MOST_BARS);
  const most = Math.max(LEAST_SCALE, ...shown.map(({ effect }) => Math.abs(effect)));
  return (
    <div data-test="waterfall">
      <p>
        Probability of <strong>{predicted}</strong> with everybody who was there: <strong>{shownShare(base, 1)}</strong>
        . Method: leave one out. Each owner in turn is taken away and the model is asked again, which is exact for this
        model; the effects do not add up.
      </p>
      <table class="waterfall">
        <caption>How much of the probability is gone without an owner</caption>
        <thead>
          <tr>
            <th scope="col">Owner</th>
            <th scope="col">
              <span class="against">against</span> <span class="for">for {predicted}</span>
            </th>
            <th scope="col" class="number">
              Effect
            </th>
          </tr>
        </thead>
        <tbody>
          {shown.map(({ owner, effect }) => (
            <tr key={owner}>
              <th scope="row">{owner}</th>
              <td aria-hidden="true">
                <span class="push">
                  <span
                    class={effect < 0 ? 'bar against' : 'bar for'}
                    style={
                      effect < 0
                        ? { right: '50%', width: `${(-effect / most) * 50}%` }
                        : { left: '50%', width: `${(effect / most) * 50}%` }
                    }
                  />
                </span>
              </td>
              <td class="number">
                {effect < 0 ? '−' : '+'}
                {shownShare(Math.abs(effect), 2)}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      {owners.length > MOST_BARS && (
        <p class="faint">and {counted(owners.length - MOST_BARS, 'owner')} with smaller effects.</p>
      )}
      <p class="faint">{absent.length === 0 ? 'Nobody was absent.' : `Absent: ${listed(absent, 20)}.`}</p>
    </div>
  );
}
