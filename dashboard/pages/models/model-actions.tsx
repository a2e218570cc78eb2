// What can be done with a model: let it answer, with a reason for the audit log; download it and its card.
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { ListedModel } from '../../../src/exchange/messages.ts';
import { ask, inFederation } from '../../coordinator/request.ts';
import { ActButton } from '../../parts/act-button.tsx';
import { Badge } from '../../parts/badge.tsx';
import { Panel } from '../../parts/panel.tsx';
import { linkTo } from '../../route.ts';
import { isSignedIn, session } from '../../session.ts';
import { STATE_TONES } from './models-page.tsx';

interface ModelActionsProps {
  federation: string;
  model: ListedModel;
  active: number | undefined;
  onChange(): void;
}

export function ModelActions({ federation, model, active, onChange }: ModelActionsProps): JSX.Element {
  const { version, state = 'candidate' } = model;
  const [reason, setReason] = useState('');
  const who = session.value;
  const isOperator = isSignedIn(who) && who.role === 'operator';
  const isBack = state === 'former';
  const activate = async (): Promise<void> => {
    const body = reason.trim() ? { reason: reason.trim() } : {};
    await ask(inFederation(federation, 'models', version, 'activate'), { method: 'POST', body });
    setReason('');
    onChange();
  };
  return (
    <Panel title={`Model ${version}`} actions={<Badge tone={STATE_TONES[state] ?? 'plain'}>{state}</Badge>}>
      <div class="row">
        {isOperator && state !== 'active' && (
          <form class="row" onSubmit={(event) => event.preventDefault()}>
            <label class="wide">
              Reason, for the audit log
              <input
                value={reason}
                maxLength={500}
                onInput={(event) => setReason(event.currentTarget.value)}
                placeholder={isBack ? 'model 3 misses night storms' : 'better on winter samples'}
              />
            </label>
            <ActButton
              class="primary"
              act={activate}
              confirm={`Let model ${version} answer${active ? ` instead of model ${active}` : ''}?`}
            >
              {isBack ? 'Roll back to it' : 'Promote it'}
            </ActButton>
          </form>
        )}
        <div class="links">
          <a href={linkTo(federation, 'graph', [], { model: version })}>Graph</a>
          <a href={linkTo(federation, 'what-if', [], { model: version })}>What if</a>
          {isOperator && (
            <a
              href={inFederation(federation, 'models', version, 'archive')}
              download={`${federation}-model-${version}.tar`}
            >
              Download the model
            </a>
          )}
          <a href={inFederation(federation, 'models', version)} download={`${federation}-model-${version}.json`}>
            Download its card
          </a>
        </div>
      </div>
    </Panel>
  );
}
