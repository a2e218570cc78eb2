// What if: owners are switched off by click, lasso or share, and the coordinator says what its model then predicts.
import type { JSX } from 'preact';
import { useEffect, useMemo, useState } from 'preact/hooks';
import type { WhatIf } from '../../../src/exchange/messages/what-if.ts';
import type { FederationStatus, ListedModel, ModelDetails } from '../../../src/exchange/messages.ts';
import { ask, inFederation, Refusal } from '../../coordinator/request.ts';
import { useLoaded } from '../../coordinator/use-loaded.ts';
import { useOnShares } from '../../coordinator/use-on-shares.ts';
import { Notice, RefusalNotice, WhenLoaded } from '../../parts/notice.tsx';
import { OnSharesNotice } from '../../parts/on-shares-notice.tsx';
import { PageHead, Panel } from '../../parts/panel.tsx';
import { linkTo } from '../../route.ts';
import { counted, shownCount, shownShare } from '../../words/numbers.ts';
import { ModelChoice } from '../graph/graph-page.tsx';
import { onMap } from '../graph/positions.ts';
import { CriticalOwners } from './critical-owners.tsx';
import { OwnerField } from './owner-field.tsx';
import { OwnerSwitches } from './owner-switches.tsx';
import { drawn } from './random-share.ts';
import { Answer } from './what-if-answer.tsx';

interface WhatIfPageProps {
  federation: string;
  /** `model`: the version, the active one by default. */
  query: URLSearchParams;
}

export function WhatIfPage({ federation, query }: WhatIfPageProps): JSX.Element {
  const models = useLoaded<{ models: ListedModel[] }>(inFederation(federation, 'models'));
  const isOnShares = useOnShares(federation);
  if (isOnShares) {
    return (
      <>
        <PageHead title="What if" />
        <OnSharesNotice what="What the model would say without some owners is" />
      </>
    );
  }
  return (
    <WhenLoaded loaded={models} what="models">
      {({ models: all }) => {
        const active = all.find(({ state }) => state === 'active') ?? all.at(-1);
        const version = Number(query.get('model')) || active?.version;
        if (version === undefined) {
          return (
            <>
              <PageHead title="What if" />
              <Notice title="There is no model yet">
                <a href={linkTo(federation, 'training')}>Start a training</a>; then owners can be switched off here.
              </Notice>
            </>
          );
        }
        return (
          <>
            <PageHead title="What if">
              Switch owners off and see what the model then predicts on its validation part.{' '}
              <ModelChoice {...{ federation, version }} models={all} page="what-if" />
            </PageHead>
            {isOnShares === false && <Board key={version} federation={federation} version={version} />}
          </>
        );
      }}
    </WhenLoaded>
  );
}

/** Clicks in quick succession are one question. */
const PAUSE_MS = 120;

function Board({ federation, version }: { federation: string; version: number }): JSX.Element {
  const details = useLoaded<ModelDetails>(inFederation(federation, 'models', version));
  const status = useLoaded<FederationStatus>(inFederation(federation));
  const [absent, setAbsent] = useState<ReadonlySet<string>>(new Set());
  const [draw, setDraw] = useState(1);
  const [isMap, setMap] = useState(true);
  const owners = useMemo(() => details.data?.owners.map(({ owner }) => owner) ?? [], [details.data]);
  const map = useMemo(() => onMap(owners, status.data?.owners ?? []), [owners, status.data]);
  const { answer, refusal, isAsking } = useWhatIf(federation, version, absent, owners.length);
  const change = (names: Iterable<string>, isOff: boolean): void => {
    const next = new Set(absent);
    for (const name of names) isOff ? next.add(name) : next.delete(name);
    setAbsent(next);
  };
  const share = (value: number, seed: number): void => setAbsent(new Set(drawn(owners, value, seed)));
  const off = owners.length === 0 ? 0 : absent.size / owners.length;
  return (
    <WhenLoaded loaded={details} what="the model’s owners">
      {() => (
        <>
          <div class="columns">
            <Panel
              title="Owners"
              remark={`${shownCount(owners.length - absent.size)} present, ${shownCount(absent.size)} absent. Click an owner, or draw a line around several.`}
              actions={
                <>
                  {map && (
                    <div class="switch" role="group" aria-label="Arrangement">
                      <button type="button" aria-pressed={isMap} onClick={() => setMap(true)}>
                        Map
                      </button>
                      <button type="button" aria-pressed={!isMap} onClick={() => setMap(false)}>
                        Rows
                      </button>
                    </div>
                  )}
                  <button type="button" class="small" disabled={absent.size === 0} onClick={() => setAbsent(new Set())}>
                    Everybody back
                  </button>
                </>
              }
            >
              <OwnerField owners={owners} places={isMap ? map?.places : undefined} absent={absent} onChange={change} />
              <label class="slider">
                A share of them, by chance: <strong>{shownShare(off)}</strong>
                <input
                  type="range"
                  min="0"
                  max="0.95"
                  step="0.05"
                  value={Math.min(0.95, off)}
                  data-test="share"
                  onInput={(event) => share(event.currentTarget.valueAsNumber, draw)}
                />
              </label>
              <button
                type="button"
                class="small"
                disabled={absent.size === 0}
                onClick={() => {
                  setDraw(draw + 1);
                  share(off, draw + 1);
                }}
              >
                Draw others
              </button>
              <OwnerSwitches owners={owners} absent={absent} onChange={change} />
            </Panel>
            <div>
              {refusal ? (
                <RefusalNotice refusal={refusal} />
              ) : (
                <Answer answer={answer} isAsking={isAsking} absent={absent.size} />
              )}
            </div>
          </div>
          <CriticalOwners federation={federation} version={version} onChoose={(names) => setAbsent(new Set(names))} />
          <p class="unseen" aria-live="polite">
            {isAsking ? 'Asking the coordinator.' : `${counted(absent.size, 'owner')} absent.`}
          </p>
        </>
      )}
    </WhenLoaded>
  );
}

function useWhatIf(federation: string, version: number, absent: ReadonlySet<string>, all: number) {
  const [answer, setAnswer] = useState<WhatIf>();
  const [refusal, setRefusal] = useState<Refusal>();
  const [isAsking, setAsking] = useState(false);
  useEffect(() => {
    if (all === 0) return;
    const ending = new AbortController();
    const timer = setTimeout(async () => {
      setAsking(true);
      try {
        const body = { absent: [...absent] };
        setAnswer(
          await ask<WhatIf>(inFederation(federation, 'models', version, 'what-if'), {
            method: 'POST',
            body,
            signal: ending.signal,
          }),
        );
        setRefusal(undefined);
      } catch (error) {
        if (ending.signal.aborted) return;
        if (error instanceof Refusal) setRefusal(error);
      }
      setAsking(false);
    }, PAUSE_MS);
    return () => {
      clearTimeout(timer);
      ending.abort();
    };
  }, [federation, version, absent, all]);
  return { answer, refusal, isAsking };
}
