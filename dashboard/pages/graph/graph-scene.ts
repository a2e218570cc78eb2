// The picture: owners and edges in WebGL, with what is near the chosen owner in front and the rest faded.
import { UndirectedGraph } from 'graphology';
import Sigma from 'sigma';
import type { ModelGraph } from '../../../src/exchange/messages.ts';
import { mixed, type Rgb, themeColour, themeText } from '../../charts/theme.ts';
import { communities } from './communities.ts';
import type { LayoutAnswer, LayoutRequest } from './layout.worker.ts';
import { panBySnapshot } from './pan-snapshot.ts';
import type { Place } from './positions.ts';

/** Groups have colours of their own, the largest first; the rest are grey. */
const GROUP_COLOURS = ['--c1', '--c4', '--c5', '--c6', '--c7', '--c8'];
/** Above so many owners edges are left out while the picture moves. */
const MANY_OWNERS = 1500;
const MOST_LABELS_AT = 60;

export interface SceneEvents {
  onHover(owner: number | undefined): void;
  onChoose(owner: number | undefined): void;
  onProgress(share: number): void;
}

export class GraphScene {
  readonly sigma: Sigma;
  readonly #graph = new UndirectedGraph({ allowSelfLoops: false });
  readonly #model: ModelGraph;
  readonly #groups: number[];
  #worker: Worker | undefined;
  #stopPanning: () => void = () => undefined;
  #least: number;
  #front: number | undefined;
  #near = new Set<number>();
  #colours!: {
    page: Rgb;
    edge: Rgb;
    front: string;
    faded: string;
    ink: string;
    rim: string;
    panel: string;
    nodes: string[];
    groups: Rgb[];
  };

  constructor(
    place: HTMLElement,
    model: ModelGraph,
    { places, least, events }: { places: Place[]; least: number; events: SceneEvents },
  ) {
    this.#model = model;
    this.#least = least;
    this.#groups = communities(model.owners.length, shownEdges(model, least));
    this.#readColours();
    this.#build(places);
    const isLarge = model.owners.length > MANY_OWNERS;
    this.sigma = new Sigma(this.#graph, place, {
      // A window may have no width for a moment, while it is resized or a picture of the page is taken.
      allowInvalidContainer: true,
      enableCameraPanning: !isLarge,
      hideEdgesOnMove: isLarge,
      hideLabelsOnMove: isLarge,
      labelFont: 'system-ui, sans-serif',
      labelSize: 12,
      labelColor: { color: this.#colours.ink },
      labelRenderedSizeThreshold: model.owners.length <= MOST_LABELS_AT ? 0 : 7,
      labelDensity: 1,
      labelGridCellSize: 140,
      zIndex: true,
      minEdgeThickness: isLarge ? 0.6 : 1.2,
      stagePadding: isLarge ? 20 : 70,
      nodeReducer: (node, data) => this.#reduceNode(Number(node), data),
      edgeReducer: (_, data) => this.#reduceEdge(data as EdgeData),
      defaultDrawNodeLabel: (context, data, settings) => this.#drawName(context, data as never, settings.labelSize),
      defaultDrawNodeHover: (context, data, settings) => this.#drawLabel(context, data as never, settings.labelSize),
    });
    // Sigma asks the graphics card which owner is under the pointer, and waits for it at every move; looking through their
    // positions is quicker.
    (this.sigma as unknown as NodeFinder).getNodeAtPosition = (at) => this.#ownerAt(at);
    if (isLarge) this.#stopPanning = panBySnapshot(place, this.sigma);
    // To fade ten thousand owners takes longer than a frame, so there it wants a click.
    if (!isLarge) {
      this.sigma.on('enterNode', ({ node }) => events.onHover(Number(node)));
      this.sigma.on('leaveNode', () => events.onHover(undefined));
    }
    this.sigma.on('clickNode', ({ node }) => events.onChoose(Number(node)));
    this.sigma.on('clickStage', () => events.onChoose(undefined));
    this.#events = events;
  }

  readonly #events: SceneEvents;

  #ownerAt({ x, y }: { x: number; y: number }): string | null {
    const here = this.sigma.viewportToGraph({ x, y });
    const beside = this.sigma.viewportToGraph({ x: x + 1, y });
    const pixel = Math.hypot(beside.x - here.x, beside.y - here.y);
    let [best, nearest]: [string | null, number] = [null, Number.POSITIVE_INFINITY];
    this.#graph.forEachNode((node, place) => {
      const distance = Math.hypot(place.x - here.x, place.y - here.y) / pixel;
      if (distance < nearest && distance <= this.sigma.scaleSize(place.size) + 2) [best, nearest] = [node, distance];
    });
    return best;
  }

  #readColours(): void {
    this.#colours = {
      page: themeColour('--page'),
      edge: themeColour('--faint'),
      front: themeText('--c3'),
      faded: mixed(themeColour('--page'), themeColour('--c2'), 0.35),
      ink: themeText('--ink'),
      rim: themeText('--page'),
      panel: themeText('--panel'),
      groups: GROUP_COLOURS.map(themeColour),
      nodes: this.#groups.map((group) => themeText(GROUP_COLOURS[group] ?? '--c2')),
    };
  }

  #build(places: Place[]): void {
    const { owners, edges } = this.#model;
    const ties = new Float32Array(owners.length);
    for (const [from, to, weight] of shownEdges(this.#model, this.#least)) {
      ties[from] += weight;
      ties[to] += weight;
    }
    const most = ties.reduce((a, b) => Math.max(a, b), 1e-9);
    const base = owners.length > 3000 ? 1.5 : owners.length > 500 ? 2.5 : owners.length > 100 ? 4 : 5.5;
    owners.forEach((owner, i) => {
      const [x, y] = places[i];
      this.#graph.addNode(String(i), { x, y, size: base + base * 1.6 * Math.sqrt(ties[i] / most), label: owner });
    });
    for (const [from, to, weight] of edges)
      if (from !== to) this.#graph.mergeUndirectedEdge(String(from), String(to), { from, to, weight });
  }

  #reduceNode(node: number, data: object) {
    const { front, faded, nodes } = this.#colours;
    if (this.#front === undefined) return { ...data, color: nodes[node] };
    if (node === this.#front) return { ...data, color: front, highlighted: true, zIndex: 2 };
    if (this.#near.has(node)) return { ...data, color: nodes[node], zIndex: 1, forceLabel: this.#near.size < 12 };
    return { ...data, color: faded, label: null, zIndex: 0 };
  }

  #reduceEdge({ from, to, weight }: EdgeData) {
    if (weight < this.#least) return { hidden: true };
    const { page, edge, front } = this.#colours;
    const isFront = from === this.#front || to === this.#front;
    if (this.#front !== undefined && !isFront) {
      if (this.#model.owners.length > MANY_OWNERS) return { hidden: true };
      return { color: mixed(page, edge, 0.14), size: 0.8, zIndex: 0 };
    }
    const share = Math.min(1, Math.max(0, weight)) ** 2;
    if (isFront) return { color: front, size: 1.2 + 2 * share, zIndex: 1 };
    // Ties inside a group have a tint of its colour, those between groups are grey.
    const group = this.#groups[from] === this.#groups[to] ? this.#colours.groups[this.#groups[from]] : undefined;
    return {
      color: mixed(page, group ?? edge, (group ? 0.16 : 0.12) + 0.4 * share),
      size: 0.8 + 1.4 * share,
      zIndex: 0,
    };
  }

  #drawLabel(
    context: CanvasRenderingContext2D,
    data: { x: number; y: number; size: number; label?: string | null; color: string },
    size: number,
  ): void {
    const { ink, panel } = this.#colours;
    context.beginPath();
    context.arc(data.x, data.y, data.size + 3, 0, 2 * Math.PI);
    context.strokeStyle = data.color;
    context.lineWidth = 2;
    context.stroke();
    if (!data.label) return;
    context.font = `600 ${size}px system-ui, sans-serif`;
    const width = context.measureText(data.label).width;
    const left = data.x + data.size + 1;
    context.fillStyle = panel;
    context.beginPath();
    context.roundRect(left, data.y - size * 0.85, width + 12, size * 1.7, 5);
    context.fill();
    context.fillStyle = ink;
    context.fillText(data.label, left + 6, data.y + size * 0.35);
  }

  /** A name with a rim in the page's colour, so that it is read over dots and edges. */
  #drawName(
    context: CanvasRenderingContext2D,
    { x, y, size, label }: { x: number; y: number; size: number; label?: string | null },
    letters: number,
  ): void {
    if (!label) return;
    context.font = `${letters}px system-ui, sans-serif`;
    context.lineJoin = 'round';
    context.lineWidth = 3;
    context.strokeStyle = this.#colours.rim;
    context.strokeText(label, x + size + 3, y + letters * 0.33);
    context.fillStyle = this.#colours.ink;
    context.fillText(label, x + size + 3, y + letters * 0.33);
  }

  /** Fades all but an owner and those it is tied to; undefined shows everybody again. */
  bringForward(owner: number | undefined): void {
    if (this.#front === owner) return;
    this.#front = owner;
    this.#near = new Set(
      owner === undefined ? [] : neighboursOf(this.#model, owner, this.#least).map(({ other }) => other),
    );
    this.sigma.refresh({ skipIndexation: true });
  }

  showFrom(least: number): void {
    this.#least = least;
    const front = this.#front;
    this.#front = undefined;
    this.bringForward(front);
    this.sigma.refresh({ skipIndexation: true });
  }

  /** The reader turned to dark or back. */
  recolour(): void {
    this.#readColours();
    this.sigma.setSetting('labelColor', { color: this.#colours.ink });
    this.sigma.refresh({ skipIndexation: true });
  }

  moveTo(places: Place[]): void {
    this.#worker?.terminate();
    for (const [i, [x, y]] of places.entries()) this.#graph.mergeNodeAttributes(String(i), { x, y });
    this.sigma.refresh();
  }

  /** Lets tied owners draw together, from where they stand. */
  arrange(): void {
    this.#worker?.terminate();
    const count = this.#model.owners.length;
    const worker = new Worker(new URL('./layout.worker.ts', import.meta.url), { type: 'module' });
    this.#worker = worker;
    worker.onmessage = ({ data: { positions, done } }: MessageEvent<LayoutAnswer>) => {
      let i = 0;
      this.#graph.updateEachNodeAttributes(
        (_, data) => {
          data.x = positions[2 * i];
          data.y = positions[2 * i + 1];
          i++;
          return data;
        },
        { attributes: ['x', 'y'] },
      );
      this.#events.onProgress(done);
      if (done >= 1) worker.terminate();
    };
    const request: LayoutRequest = {
      positions: Float32Array.from(this.places().flat()),
      edges: Float32Array.from(shownEdges(this.#model, this.#least).flat()),
      steps: count > 5000 ? 120 : count > 1000 ? 250 : 500,
    };
    worker.postMessage(request);
  }

  places(): Place[] {
    return this.#graph.mapNodes((_, { x, y }) => [x, y]);
  }

  /** Colour and size of each owner, for exports. */
  looks(): { colour: string; size: number }[] {
    return this.#graph.mapNodes((node, { size }) => ({ colour: this.#colours.nodes[Number(node)], size }));
  }

  close(): void {
    this.#worker?.terminate();
    this.#stopPanning();
    this.sigma.kill();
    // After the pointer let go, sigma asks for another picture by a timer, which may come when there is no place for it any more.
    this.sigma.refresh = () => this.sigma;
  }
}

interface NodeFinder {
  getNodeAtPosition(at: { x: number; y: number }): string | null;
}

interface EdgeData {
  from: number;
  to: number;
  weight: number;
}

export const shownEdges = ({ edges }: ModelGraph, least: number): [number, number, number][] =>
  edges.filter(([from, to, probability]) => from !== to && probability >= least);

/** The owners that one is tied to, the strongest first. */
export function neighboursOf(
  { edges }: ModelGraph,
  owner: number,
  least: number,
): { other: number; probability: number }[] {
  return edges.flatMap(([from, to, probability]) => {
    if (probability < least || from === to || (from !== owner && to !== owner)) return [];
    return [{ other: from === owner ? to : from, probability }];
  });
}
