// The graph with its controls: threshold and histogram, map or forces, an owner's neighbours, exports, and the same as tables.
import type { JSX } from 'preact';
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { ListedOwner, ModelGraph } from '../../../src/exchange/messages.ts';
import { BarChart } from '../../charts/bar-chart.tsx';
import { useTheme } from '../../charts/theme.ts';
import { DataTable } from '../../parts/data-table.tsx';
import { Panel } from '../../parts/panel.tsx';
import { counted, shownCount, shownScore } from '../../words/numbers.ts';
import { exportCsv, exportPng, exportSvg } from './graph-exports.ts';
import { GraphScene, neighboursOf, shownEdges } from './graph-scene.ts';
import { drawMapLines } from './map-lines.ts';
import { OwnerDetail } from './owner-detail.tsx';
import { onMap, type Place, spiral } from './positions.ts';

export interface GraphViewProps {
  federation: string;
  version: number;
  graph: ModelGraph;
  owners: ListedOwner[];
}

/** At first about so many edges per owner are shown. */
const EDGES_PER_OWNER = 3;
const STEP = 0.01;

export function GraphView({ federation, version, graph, owners }: GraphViewProps): JSX.Element {
  const place = useRef<HTMLDivElement>(null);
  const scene = useRef<GraphScene | undefined>(undefined);
  const start = useMemo(() => startingThreshold(graph), [graph]);
  const lowest = graph.edges.length > 0 ? graph.edges[graph.edges.length - 1][2] : 0;
  const isCut = graph.edges.length < graph.pairs && lowest > 0;
  const [least, setLeast] = useState(start);
  const [hovered, setHovered] = useState<number>();
  const [chosen, setChosen] = useState<number>();
  const [progress, setProgress] = useState(0);
  const [wanted, setWanted] = useState('');
  const theme = useTheme();
  const map = useMemo(() => onMap(graph.owners, owners), [graph, owners]);
  const [isMap, setMap] = useState(map !== undefined);
  const isOnMap = map !== undefined && isMap;
  const forced = useRef<Place[] | undefined>(undefined);
  useEffect(() => {
    if (!place.current) return;
    const events = { onHover: setHovered, onChoose: setChosen, onProgress: setProgress };
    const places = isOnMap ? map.places : (forced.current ?? spiral(graph.owners.length));
    const made = new GraphScene(place.current, graph, { places, least: start, events });
    scene.current = made;
    if (!isOnMap) made.arrange();
    else setProgress(1);
    return () => {
      made.close();
      scene.current = undefined;
    };
  }, [graph, map]);
  useEffect(() => {
    if (place.current && scene.current && isOnMap) return drawMapLines(place.current, scene.current.sigma, map);
  }, [graph, map, isMap]);
  useEffect(() => scene.current?.bringForward(hovered ?? chosen), [hovered, chosen]);
  useEffect(() => scene.current?.recolour(), [theme]);
  const shown = useMemo(() => shownEdges(graph, least), [graph, least]);
  const change = (value: number): void => {
    setLeast(value);
    scene.current?.showFrom(value);
  };
  const turn = (toMap: boolean): void => {
    if (!scene.current || !map) return;
    if (toMap) forced.current = scene.current.places();
    setMap(toMap);
    setProgress(toMap ? 1 : 0);
    scene.current.moveTo(toMap ? map.places : (forced.current ?? spiral(graph.owners.length)));
    if (!toMap) scene.current.arrange();
  };
  const find = (name: string): void => {
    setWanted(name);
    const at = graph.owners.indexOf(name);
    if (at >= 0) setChosen(at);
  };
  const picture = () => {
    const made = scene.current;
    return made && { graph, places: made.places(), looks: made.looks(), edges: shown };
  };
  const name = `${federation}-model-${version}-graph`;
  return (
    <div class="graph-page">
      <div class="graph-frame">
        <div class="graph-tools">
          <label class="inline">
            Find{' '}
            <input
              list="graph-owners"
              value={wanted}
              onInput={(event) => find(event.currentTarget.value)}
              placeholder="owner"
            />
          </label>
          {graph.owners.length <= 2000 && (
            <datalist id="graph-owners">
              {graph.owners.map((owner) => (
                <option key={owner} value={owner} />
              ))}
            </datalist>
          )}
          {map && (
            <div class="switch" role="group" aria-label="Arrangement">
              <button type="button" aria-pressed={isMap} onClick={() => turn(true)}>
                Map
              </button>
              <button type="button" aria-pressed={!isMap} onClick={() => turn(false)}>
                Forces
              </button>
            </div>
          )}
          {!isOnMap && (
            <button type="button" class="small" onClick={() => scene.current?.arrange()}>
              Arrange again
            </button>
          )}
          <button type="button" class="small" onClick={() => void scene.current?.sigma.getCamera().animatedReset()}>
            Whole picture
          </button>
          <span class="exports">
            <button type="button" class="small" onClick={() => exportSvg(name, picture())}>
              SVG
            </button>
            <button type="button" class="small" onClick={() => exportPng(name, picture())}>
              PNG
            </button>
            <button type="button" class="small" onClick={() => exportCsv(name, graph, shown)}>
              CSV
            </button>
          </span>
        </div>
        <div
          class="graph-canvas"
          ref={place}
          role="img"
          data-test="graph"
          data-done={progress >= 1}
          aria-label={`Graph of ${counted(graph.owners.length, 'owner')} with ${counted(shown.length, 'edge')} of probability ${shownScore(least, 2)} or more. The same stands in the tables below.`}
        />
        {isOnMap && map.unplaced > 0 && (
          <p class="graph-progress note">
            {counted(map.unplaced, 'owner')} in the row below {map.unplaced === 1 ? 'has' : 'have'} not told where{' '}
            {map.unplaced === 1 ? 'it is' : 'they are'}.
          </p>
        )}
        {progress < 1 && (
          <p class="graph-progress" role="status">
            Arranging, {Math.round(progress * 100)} %
          </p>
        )}
      </div>
      <div class="graph-side">
        <Panel title="Edges" remark={`${counted(shown.length, 'edge')} of ${shownCount(graph.pairs)} pairs are shown.`}>
          <BarChart
            label="All pairs by probability."
            bars={graph.histogram.map(({ from, to, count }) => ({
              name: shownScore(from, 2),
              value: count,
              isOn: to > least,
            }))}
            x="edge probability"
            unit="pairs"
            isRoot
          />
          <label class="slider">
            Show edges from <strong>{shownScore(least, 2)}</strong>
            <input
              type="range"
              min={isCut ? Math.ceil(lowest / STEP) * STEP : 0}
              max={1}
              step={STEP}
              value={least}
              onInput={(event) => change(event.currentTarget.valueAsNumber)}
            />
          </label>
          {isCut && (
            <p class="faint">
              The {shownCount(graph.edges.length)} strongest edges are loaded; those below {shownScore(lowest, 2)} are
              in the bars only.
            </p>
          )}
          <p class="faint">Size: how strongly an owner is tied. Colour: groups that are tied more closely within.</p>
        </Panel>
        {chosen !== undefined ? (
          <OwnerDetail
            key={chosen}
            {...{ federation, version }}
            owner={graph.owners[chosen]}
            neighbours={neighboursOf(graph, chosen, least).map(({ other, probability }) => ({
              owner: graph.owners[other],
              probability,
            }))}
            onChoose={(owner) => setChosen(graph.owners.indexOf(owner))}
            onClose={() => setChosen(undefined)}
          />
        ) : (
          <p class="faint hint">
            Point at an owner to see whom it is tied to; click it for its alignment and what its absence costs.
          </p>
        )}
      </div>
      <Panel title="Strongest edges" class="wide">
        <DataTable
          caption="Edges that are shown, the strongest first"
          rows={shown.slice(0, 2000)}
          keyOf={([from, to]) => `${from}-${to}`}
          textOf={([from, to]) => `${graph.owners[from]} ${graph.owners[to]}`}
          perPage={10}
          empty={<p class="faint">No edge is this probable. Lower the threshold.</p>}
          columns={[
            {
              name: 'Owner',
              cell: ([from]) => <OwnerButton name={graph.owners[from]} onClick={() => setChosen(from)} />,
              isName: true,
            },
            {
              name: 'Tied to',
              cell: ([, to]) => <OwnerButton name={graph.owners[to]} onClick={() => setChosen(to)} />,
            },
            { name: 'Probability', cell: ([, , probability]) => shownScore(probability), isNumber: true },
          ]}
        />
      </Panel>
    </div>
  );
}

export const OwnerButton = ({ name, onClick }: { name: string; onClick(): void }): JSX.Element => (
  <button type="button" class="plain" onClick={onClick}>
    {name}
  </button>
);

/** The probability from which there are about three edges per owner, rounded to the slider's steps. */
function startingThreshold({ edges, owners }: ModelGraph): number {
  const at = Math.min(edges.length, owners.length * EDGES_PER_OWNER) - 1;
  return at < 0 ? 0 : Math.floor(edges[at][2] / STEP) * STEP;
}
