// Models: all versions with their scores; one in detail, or two side by side.
import type { JSX } from 'preact';
import type { ListedModel } from '../../../src/exchange/messages.ts';
import { inFederation } from '../../coordinator/request.ts';
import { useLoaded } from '../../coordinator/use-loaded.ts';
import { useOnShares } from '../../coordinator/use-on-shares.ts';
import { Badge, type Tone } from '../../parts/badge.tsx';
import { type Column, DataTable } from '../../parts/data-table.tsx';
import { Notice, WhenLoaded } from '../../parts/notice.tsx';
import { PageHead, Panel } from '../../parts/panel.tsx';
import { goTo, linkTo } from '../../route.ts';
import { counted, shownScore } from '../../words/numbers.ts';
import { Time } from '../../words/times.tsx';
import { scoreDigits } from '../../words/told.ts';
import { Comparison } from './comparison.tsx';
import { evaluations, useEvaluations } from './evaluations.ts';
import { ModelActions } from './model-actions.tsx';

interface ModelsPageProps {
  federation: string;
  /** Version that is shown. */
  chosen: string | undefined;
  /** `with`: the version that it is compared with. */
  query: URLSearchParams;
}

const RELOAD_MS = 10_000;
/** So many models of the list get intervals without being asked for. */
const MOST_INTERVALS = 8;
export const STATE_TONES: Record<string, Tone> = { active: 'good', former: 'plain', candidate: 'busy' };

export function ModelsPage({ federation, chosen, query }: ModelsPageProps): JSX.Element {
  const list = useLoaded<{ models: ListedModel[] }>(inFederation(federation, 'models'), { every: RELOAD_MS });
  const models = [...(list.data?.models ?? [])].sort((one, other) => other.version - one.version);
  const active = models.find(({ state }) => state === 'active')?.version;
  const version = chosen ? Number(chosen) : (active ?? models[0]?.version);
  const other = query.get('with') ? Number(query.get('with')) : undefined;
  const isOnShares = useOnShares(federation);
  const wanted = [version, other, ...models.slice(0, MOST_INTERVALS).map((model) => model.version)];
  const evaluated = isOnShares === false ? wanted.filter((one) => one !== undefined) : [];
  useEvaluations(federation, [...new Set(evaluated)]);
  const shown = models.find((model) => model.version === version);
  return (
    <>
      <PageHead title="Models">
        {list.data &&
          (active
            ? `Model ${active} answers. ${counted(models.length, 'version')} in all.`
            : models.length > 0
              ? `No model answers yet; promote one of ${models.length}.`
              : '')}
      </PageHead>
      <WhenLoaded loaded={list} what="models">
        {() => (
          <>
            <Panel
              title="Versions"
              remark="Choose one to see it, and another to compare. Scores are those of the validation part; ± is a 95 % interval."
            >
              <ModelTable federation={federation} models={models} version={version} other={other} />
            </Panel>
            {!shown && chosen && models.length > 0 && (
              <Notice title={`There is no model ${chosen}`}>Choose one from the table.</Notice>
            )}
            {shown && (
              <>
                <ModelActions
                  key={shown.version}
                  federation={federation}
                  model={shown}
                  active={active}
                  onChange={list.reload}
                />
                <Comparison
                  key={`${version}-${other}`}
                  federation={federation}
                  version={shown.version}
                  other={other}
                  isOnShares={isOnShares ?? false}
                />
              </>
            )}
          </>
        )}
      </WhenLoaded>
    </>
  );
}

interface ModelTableProps {
  federation: string;
  models: ListedModel[];
  version: number | undefined;
  other: number | undefined;
}

function ModelTable({ federation, models, version, other }: ModelTableProps): JSX.Element {
  const compare = (with_: number): void =>
    goTo(linkTo(federation, 'models', [version ?? with_], other === with_ || with_ === version ? {} : { with: with_ }));
  const score = (name: string, of: 'accuracy' | 'f1' | 'auc'): Column<ListedModel> => ({
    name,
    isNumber: true,
    by: ({ validation }) => validation?.[of],
    cell: ({ version: one, validation }) => {
      const evaluation = evaluations.value.get(`${federation}/${one}`);
      const digits = scoreDigits(evaluation?.told);
      return (
        <>
          {shownScore(validation?.[of], digits)}
          <Interval range={evaluation?.intervals[of]} digits={digits} />
        </>
      );
    },
  });
  return (
    <DataTable
      caption="Models of this federation, the newest first"
      rows={models}
      keyOf={(model) => model.version}
      isChosen={(model) => model.version === version || model.version === other}
      empty={
        <Notice title="There is no model yet">
          <a href={linkTo(federation, 'training')}>Start a training</a>; when it is done, its model stands here.
        </Notice>
      }
      columns={[
        {
          name: 'Model',
          cell: (model) => (
            <a class="whole" href={linkTo(federation, 'models', [model.version])}>
              model {model.version}
            </a>
          ),
          by: (model) => model.version,
          isName: true,
        },
        {
          name: 'Compare',
          cell: (model) =>
            model.version === version ? (
              <span class="faint">shown</span>
            ) : (
              <input
                type="checkbox"
                aria-label={`Compare with model ${model.version}`}
                checked={model.version === other}
                onChange={() => compare(model.version)}
              />
            ),
        },
        {
          name: 'State',
          cell: ({ state = 'candidate' }) => <Badge tone={STATE_TONES[state] ?? 'plain'}>{state}</Badge>,
          by: ({ state }) => state,
        },
        score('Accuracy', 'accuracy'),
        score('F1', 'f1'),
        score('ROC AUC', 'auc'),
        {
          name: 'Loss',
          cell: ({ validation }) => shownScore(validation?.loss),
          by: ({ validation }) => validation?.loss,
          isNumber: true,
        },
        { name: 'Method', cell: methodWords, by: methodWords },
        { name: 'Made', cell: ({ created }) => <Time at={created} />, by: ({ created }) => created },
      ]}
    />
  );
}

interface IntervalProps {
  range: [number, number] | null | undefined;
  digits: number;
}

const Interval = ({ range, digits }: IntervalProps): JSX.Element | null =>
  range ? (
    <span class="spread" title={`95 % interval: ${shownScore(range[0], digits)} to ${shownScore(range[1], digits)}`}>
      ± {shownScore((range[1] - range[0]) / 2, digits)}
    </span>
  ) : null;

function methodWords({ config, members }: ListedModel): string {
  const { method = '–', graph, alignment } = (config ?? {}) as { method?: string; graph?: string; alignment?: string };
  const first =
    method === 'consensus'
      ? `consensus, ${alignment} alignment, ${graph === 'none' ? 'no graph' : `graph ${graph}`}`
      : method;
  return members === undefined ? first : `${members} models as one, the first: ${first}`;
}
