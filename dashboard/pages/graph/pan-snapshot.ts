// Panning of large graphs: while the pointer drags, one flat picture of all layers is moved, and all is drawn anew when it lets go.
// Where software puts layers together, one that hides what is below it costs a quarter of seven that let it shine through.
import type Sigma from 'sigma';
import { themeText } from '../../charts/theme.ts';

/** Returns what ends it. */
export function panBySnapshot(place: HTMLElement, sigma: Sigma): () => void {
  const picture = document.createElement('canvas');
  picture.className = 'snapshot';
  picture.hidden = true;
  place.append(picture);
  let start: { x: number; y: number; id: number } | undefined;
  const layers = (): HTMLCanvasElement[] => [...place.querySelectorAll('canvas')].filter((one) => one !== picture);
  /** What WebGL drew can be read in the same moment only, so this is done after every drawing. */
  const take = (): void => {
    const { width, height } = sigma.getDimensions();
    const scale = devicePixelRatio || 1;
    if (picture.width !== width * scale) picture.width = width * scale;
    if (picture.height !== height * scale) picture.height = height * scale;
    const context = picture.getContext('2d', { alpha: false });
    if (!context || picture.width === 0 || picture.height === 0) return;
    context.fillStyle = themeText('--page');
    context.fillRect(0, 0, picture.width, picture.height);
    for (const layer of layers()) context.drawImage(layer, 0, 0, picture.width, picture.height);
  };
  const show = (isShown: boolean): void => {
    picture.hidden = !isShown;
    for (const layer of layers()) layer.style.visibility = isShown ? 'hidden' : '';
  };
  const begin = (event: PointerEvent): void => {
    if (event.button === 0 && event.isPrimary) start = { x: event.clientX, y: event.clientY, id: event.pointerId };
  };
  const move = (event: PointerEvent): void => {
    if (start?.id !== event.pointerId) return;
    if (picture.hidden) show(true);
    picture.style.transform = `translate(${event.clientX - start.x}px, ${event.clientY - start.y}px)`;
  };
  const end = (event: PointerEvent): void => {
    if (start?.id !== event.pointerId) return;
    const [x, y] = [event.clientX - start.x, event.clientY - start.y];
    start = undefined;
    if (x === 0 && y === 0) {
      show(false);
      return;
    }
    const camera = sigma.getCamera();
    const [from, to] = [sigma.viewportToFramedGraph({ x: 0, y: 0 }), sigma.viewportToFramedGraph({ x, y })];
    const state = camera.getState();
    sigma.once('afterRender', () => show(false));
    camera.setState({ x: state.x + from.x - to.x, y: state.y + from.y - to.y });
  };
  sigma.on('afterRender', take);
  place.addEventListener('pointerdown', begin);
  addEventListener('pointermove', move);
  addEventListener('pointerup', end);
  addEventListener('pointercancel', end);
  return () => {
    sigma.off('afterRender', take);
    picture.remove();
    place.removeEventListener('pointerdown', begin);
    removeEventListener('pointermove', move);
    removeEventListener('pointerup', end);
    removeEventListener('pointercancel', end);
  };
}
