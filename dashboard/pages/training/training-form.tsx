// Starts a training: a preset and when its model answers; all fields of the configuration lie folded below.

import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { PromotionRule, TrainingRequest } from '../../../src/exchange/messages.ts';
import { ask, inFederation } from '../../coordinator/request.ts';
import { ActButton } from '../../parts/act-button.tsx';
import { Panel } from '../../parts/panel.tsx';
import { isSignedIn, session } from '../../session.ts';
import { type Changes, ConfigFields } from './config-fields.tsx';
import { DEFAULT_PRESET_NAME, PRESET_WORDS, PROMOTION_WORDS, SHARES_PRESET_WORDS } from './training-words.ts';

interface TrainingFormProps {
  federation: string;
  isOnShares: boolean;
  isReady: boolean;
  /** What to do first, where it is not ready. */
  reason: string;
  onStart(id: string): void;
}

export function TrainingForm({ federation, isOnShares, isReady, reason, onStart }: TrainingFormProps): JSX.Element {
  const presets = isOnShares ? SHARES_PRESET_WORDS : PRESET_WORDS;
  const [chosen, setPreset] = useState(DEFAULT_PRESET_NAME);
  const preset = chosen in presets ? chosen : Object.keys(presets)[0];
  const [promote, setPromote] = useState<PromotionRule>('if-better');
  const [split, setSplit] = useState('1');
  const [fits, setFits] = useState('1');
  const [changes, setChanges] = useState<Changes>({});
  const who = session.value;
  const isOperator = isSignedIn(who) && who.role === 'operator';
  const start = async (): Promise<void> => {
    const body: TrainingRequest = { preset, promote, split: Number(split) };
    if (Object.keys(changes).length > 0) body.config = changes;
    if (Number(fits) > 1 && preset !== 'auto') body.ensemble = { fits: Number(fits) };
    const once = crypto.getRandomValues(new Uint32Array(4)).join('-');
    const { id } = await ask<{ id: string }>(inFederation(federation, 'trainings'), { method: 'POST', body, once });
    onStart(id);
  };
  return (
    <Panel title="Start a training" class="form">
      <form onSubmit={(event) => event.preventDefault()}>
        <div class="row">
          <label>
            Preset
            <select value={preset} onChange={(event) => setPreset(event.currentTarget.value)}>
              {Object.keys(presets).map((name) => (
                <option key={name} value={name}>
                  {name}
                </option>
              ))}
            </select>
          </label>
          <label>
            The new model answers
            <select value={promote} onChange={(event) => setPromote(event.currentTarget.value as PromotionRule)}>
              {Object.entries(PROMOTION_WORDS)
                .filter(([rule]) => isOperator || rule !== 'always')
                .map(([rule, words]) => (
                  <option key={rule} value={rule}>
                    {words}
                  </option>
                ))}
            </select>
          </label>
          <ActButton class="primary" act={start} disabled={!isReady}>
            Start training
          </ActButton>
        </div>
        <p class="remark">{isReady ? presets[preset] : reason}</p>
        <details>
          <summary>
            Advanced options{Object.keys(changes).length > 0 && `, ${Object.keys(changes).length} changed`}
          </summary>
          <div class="fields">
            <label>
              <span class="name">split seed</span>
              <input type="number" min="0" value={split} onInput={(event) => setSplit(event.currentTarget.value)} />
              <span class="says">which samples train, validate and test; models compare only on the same split</span>
            </label>
            {preset !== 'auto' && !isOnShares && (
              <label>
                <span class="name">fits in an ensemble</span>
                <input
                  type="number"
                  min="1"
                  max="50"
                  value={fits}
                  onInput={(event) => setFits(event.currentTarget.value)}
                />
                <span class="says">several fits with other seeds, served as one calibrated model</span>
              </label>
            )}
          </div>
          <ConfigFields preset={preset} changes={changes} onChange={setChanges} />
        </details>
      </form>
    </Panel>
  );
}
