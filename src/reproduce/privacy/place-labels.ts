// Places of labels beside the points of a figure, so that no label lies on another one or on a point.

export interface LabelledPoint {
  label: string;
  /** Pixels from the left and from the top. */
  x: number;
  y: number;
}

/** Where a label begins: its left end, at the height of its middle. */
export interface LabelPlace {
  x: number;
  y: number;
}

const CHARACTER = 6;
const LINE = 12;
const GAP = 7;
const POINT = 5;
/** How many lines a label may move up or down before it is left where it is. */
const FARTHEST = 8;

/** One place per point, in their order. Points that come first get the nearest places. */
export function placeLabels(points: readonly LabelledPoint[], size: { width: number; height: number }): LabelPlace[] {
  const taken = points.map(({ x, y }) => ({ left: x - POINT, right: x + POINT, top: y - POINT, bottom: y + POINT }));
  return points.map(({ label, x, y }) => {
    const wide = label.length * CHARACTER;
    const boxAt = (place: LabelPlace) => ({
      left: place.x,
      right: place.x + wide,
      top: place.y - LINE / 2,
      bottom: place.y + LINE / 2,
    });
    const isFree = (place: LabelPlace) => {
      const { left, right, top, bottom } = boxAt(place);
      const isInside = left >= 0 && right <= size.width && top >= 0 && bottom <= size.height;
      const isClear = taken.every(
        (box) => box.right <= left || box.left >= right || box.bottom <= top || box.top >= bottom,
      );
      return isInside && isClear;
    };
    const [right, left] = [x + GAP, x - GAP - wide];
    const places = Array.from({ length: FARTHEST }, (_, lines) => lines * LINE).flatMap((away) =>
      [right, left].flatMap((at) => [
        { x: at, y: y - away },
        { x: at, y: y + away },
      ]),
    );
    const place = places.find(isFree) ?? places[0];
    taken.push(boxAt(place));
    return place;
  });
}
