// Panning of large graphs: while the pointer drags, the drawn layers are moved as they are, and drawn anew when it lets go.
import type Sigma from 'sigma';

/** Returns what ends it. */
export function panByMovingLayers(place: HTMLElement, sigma: Sigma): () => void {
  let start: { x: number; y: number; id: number } | undefined;
  const shift = (x: number, y: number): void => {
    for (const layer of place.querySelectorAll('canvas'))
      layer.style.transform = x || y ? `translate(${x}px, ${y}px)` : '';
  };
  const begin = (event: PointerEvent): void => {
    if (event.button === 0 && event.isPrimary) start = { x: event.clientX, y: event.clientY, id: event.pointerId };
  };
  const move = (event: PointerEvent): void => {
    if (start?.id === event.pointerId) shift(event.clientX - start.x, event.clientY - start.y);
  };
  const end = (event: PointerEvent): void => {
    if (start?.id !== event.pointerId) return;
    const [x, y] = [event.clientX - start.x, event.clientY - start.y];
    start = undefined;
    if (x === 0 && y === 0) return;
    const camera = sigma.getCamera();
    const [from, to] = [sigma.viewportToFramedGraph({ x: 0, y: 0 }), sigma.viewportToFramedGraph({ x, y })];
    const state = camera.getState();
    sigma.once('afterRender', () => shift(0, 0));
    camera.setState({ x: state.x + from.x - to.x, y: state.y + from.y - to.y });
  };
  place.addEventListener('pointerdown', begin);
  addEventListener('pointermove', move);
  addEventListener('pointerup', end);
  addEventListener('pointercancel', end);
  return () => {
    place.removeEventListener('pointerdown', begin);
    removeEventListener('pointermove', move);
    removeEventListener('pointerup', end);
    removeEventListener('pointercancel', end);
  };
}
