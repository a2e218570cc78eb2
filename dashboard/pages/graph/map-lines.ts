// Lines of latitude and longitude behind owners on the map, with their degrees, and a scale in kilometres.
import type Sigma from 'sigma';
import { themeText } from '../../charts/theme.ts';
import type { OwnerMap, Place } from './positions.ts';

const STEPS = [0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 45, 90];
/** At most so many lines in one direction. */
const MOST_LINES = 6;
const DEGREE_KM = 111.2;
const SCALES_KM = [0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000];
const SCALE_PX = 140;
const MARGIN = 8;

/** Draws below what sigma draws, after each of its pictures, until the returned function is called. */
export function drawMapLines(place: HTMLElement, sigma: Sigma, map: OwnerMap): () => void {
  const canvas = document.createElement('canvas');
  canvas.className = 'map-lines';
  place.prepend(canvas);
  const draw = (): void => {
    const { width, height } = sigma.getDimensions();
    const scale = devicePixelRatio || 1;
    if (canvas.width !== width * scale) canvas.width = width * scale;
    if (canvas.height !== height * scale) canvas.height = height * scale;
    const context = canvas.getContext('2d');
    if (!context) return;
    context.setTransform(scale, 0, 0, scale, 0, 0);
    context.clearRect(0, 0, width, height);
    context.strokeStyle = themeText('--grid');
    context.fillStyle = themeText('--faint');
    context.font = '11px system-ui, sans-serif';
    context.lineWidth = 1;
    const at = (x: number, y: number): Place => {
      const found = sigma.viewportToGraph({ x, y });
      return [found.x, found.y];
    };
    const [low, high] = [map.coordinatesAt(at(0, height)), map.coordinatesAt(at(width, 0))];
    const where = (latitude: number, longitude: number): { x: number; y: number } => {
      const [x, y] = map.placeOf({ latitude, longitude });
      return sigma.graphToViewport({ x, y });
    };
    for (const latitude of degreesBetween(low.latitude, high.latitude)) {
      const y = Math.round(where(latitude, low.longitude).y) + 0.5;
      stroke(context, [0, y], [width, y]);
      context.fillText(degreesText(latitude, 'NS'), MARGIN, y - 4);
    }
    for (const longitude of degreesBetween(low.longitude, high.longitude)) {
      const x = Math.round(where(low.latitude, longitude).x) + 0.5;
      stroke(context, [x, 0], [x, height]);
      context.fillText(degreesText(wrapped(longitude), 'EW'), x + 4, height - MARGIN);
    }
    drawScale(context, { width, height }, width / ((at(width, 0)[0] - at(0, 0)[0]) * DEGREE_KM));
  };
  sigma.on('afterRender', draw);
  sigma.refresh({ skipIndexation: true });
  return () => {
    sigma.off('afterRender', draw);
    canvas.remove();
  };
}

/** A bar of a round number of kilometres, in the lower right corner. */
function drawScale(
  context: CanvasRenderingContext2D,
  { width, height }: { width: number; height: number },
  pixelsPerKm: number,
): void {
  const km = SCALES_KM.findLast((size) => size * pixelsPerKm <= SCALE_PX);
  if (km === undefined) return;
  const [right, y] = [width - MARGIN, height - MARGIN - 16];
  context.save();
  context.strokeStyle = themeText('--faint');
  context.textAlign = 'right';
  context.fillText(`${km} km`, right, y - 6);
  stroke(context, [right - km * pixelsPerKm, y + 0.5], [right, y + 0.5]);
  context.restore();
}

function stroke(context: CanvasRenderingContext2D, from: Place, to: Place): void {
  context.beginPath();
  context.moveTo(...from);
  context.lineTo(...to);
  context.stroke();
}

function degreesBetween(low: number, high: number): number[] {
  const step = STEPS.find((size) => (high - low) / size <= MOST_LINES);
  if (step === undefined || !(high > low)) return [];
  const first = Math.ceil(low / step);
  return Array.from({ length: Math.floor(high / step) - first + 1 }, (_, i) => (first + i) * step);
}

/** East of the date line longitudes count from the west again. */
const wrapped = (longitude: number): number => (longitude > 180 ? longitude - 360 : longitude);

const degreesText = (degrees: number, [positive, negative]: string): string =>
  `${Number(Math.abs(degrees).toFixed(3))}° ${degrees < 0 ? negative : positive}`;
