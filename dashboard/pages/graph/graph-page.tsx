// The consensus graph of a model: who learned to listen to whom. The picture itself is loaded when it is first wanted.
import type { ComponentType, JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import type { FederationStatus, ListedModel, ModelGraph } from '../../../src/exchange/messages.ts';
import { inFederation } from '../../coordinator/request.ts';
import { type Loaded, useLoaded } from '../../coordinator/use-loaded.ts';
import { Notice, WhenLoaded } from '../../parts/notice.tsx';
import { PageHead } from '../../parts/panel.tsx';
import { goTo, linkTo } from '../../route.ts';
import { counted, shownScore } from '../../words/numbers.ts';
import type { GraphViewProps } from './graph-view.tsx';

/** More edges than this say nothing to the eye, and cost megabytes. */
const MOST_EDGES_SHOWN = 30_000;

interface GraphPageProps {
  federation: string;
  /** `model`: the version, the active one by default. */
  query: URLSearchParams;
}

export function GraphPage({ federation, query }: GraphPageProps): JSX.Element {
  const models = useLoaded<{ models: ListedModel[] }>(inFederation(federation, 'models'));
  const status = useLoaded<FederationStatus>(inFederation(federation));
  return (
    <WhenLoaded loaded={models} what="models">
      {({ models: all }) => {
        const version = chooseModel(all, query);
        if (version === undefined) {
          return (
            <>
              <PageHead title="Graph" />
              <Notice title="There is no model yet">
                Train one with the preset <code>graph</code> on the page{' '}
                <a href={linkTo(federation, 'training')}>Training</a>.
              </Notice>
            </>
          );
        }
        return <GraphOf key={version} federation={federation} models={all} version={version} status={status} />;
      }}
    </WhenLoaded>
  );
}

/** The model that the address names; else the active one if it has a graph, else the newest that has one. */
export function chooseModel(models: ListedModel[], query: URLSearchParams): number | undefined {
  const asked = Number(query.get('model'));
  if (asked) return asked;
  const newest = [...models].sort((one, other) => other.version - one.version);
  const active = newest.find(({ state }) => state === 'active');
  return (active && hasGraph(active) ? active : (newest.find(hasGraph) ?? active ?? newest[0]))?.version;
}

const hasGraph = ({ config }: ListedModel): boolean => {
  const { method, graph } = (config ?? {}) as { method?: string; graph?: string };
  return method === 'consensus' && graph !== undefined && graph !== 'none';
};

interface ModelChoiceProps {
  federation: string;
  models: ListedModel[];
  version: number;
  page: 'graph' | 'what-if';
}

export const ModelChoice = ({ federation, models, version, page }: ModelChoiceProps): JSX.Element => (
  <label class="inline">
    Model{' '}
    <select
      value={version}
      onChange={(event) => goTo(linkTo(federation, page, [], { model: event.currentTarget.value }))}
    >
      {[...models]
        .sort((one, other) => other.version - one.version)
        .map((model) => (
          <option key={model.version} value={model.version}>
            {model.version}
            {model.state === 'active' ? ', answers' : ''}
          </option>
        ))}
    </select>
  </label>
);

interface GraphOfProps {
  federation: string;
  models: ListedModel[];
  version: number;
  status: Loaded<FederationStatus>;
}

function GraphOf({ federation, models, version, status }: GraphOfProps): JSX.Element {
  const graph = useLoaded<ModelGraph>(
    `${inFederation(federation, 'models', version, 'graph')}?edges=${MOST_EDGES_SHOWN}`,
  );
  const [View, setView] = useState<ComponentType<GraphViewProps>>();
  useEffect(() => {
    void import('./graph-view.tsx').then(({ GraphView }) => setView(() => GraphView));
  }, []);
  const hasNone = graph.refusal?.code === 'F3_MODEL_GRAPH';
  return (
    <>
      <PageHead title="Graph">
        {graph.data ? said(graph.data) : null} <ModelChoice {...{ federation, models, version }} page="graph" />
      </PageHead>
      {hasNone ? (
        <Notice title={`Model ${version} has no graph between owners`}>
          <p>The recommended preset learns none, since it costs much and gains little in scores. To see one:</p>
          <p>
            choose the preset <code>graph</code> on the page <a href={linkTo(federation, 'training')}>Training</a>, or
            another model above.
          </p>
        </Notice>
      ) : (
        <WhenLoaded loaded={graph} what="the graph">
          {(data) =>
            View && (status.data || status.refusal) ? (
              <View federation={federation} version={version} graph={data} owners={status.data?.owners ?? []} />
            ) : (
              <p class="loading">Loading the picture …</p>
            )
          }
        </WhenLoaded>
      )}
    </>
  );
}

const KINDS: Record<ModelGraph['kind'], string> = {
  learned: 'Learned edge probabilities',
  given: 'A graph that was given',
  neighbours: 'Similarities of nearest neighbours, frozen with the model',
};

const said = ({ kind, owners, pairs, mean }: ModelGraph): string =>
  `${KINDS[kind]} between ${counted(owners.length, 'owner')}, ${counted(pairs, 'pair')}, ${shownScore(mean, 2)} on average.`;
