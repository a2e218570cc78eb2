import { expect, it } from 'vitest';
import { placeLabels } from './place-labels.ts';

it('lays no label on another, also where points lie on each other, and keeps them inside', () => {
  const points = ['ε 4', 'ε 2', 'ε 1', 'ε .5'].map((label, i) => ({ label, x: 5 - i, y: 300 }));
  points.push({ label: 'plain', x: 555, y: 20 }, { label: 'd 8', x: 552, y: 22 });
  const places = placeLabels(points, { width: 560, height: 320 });
  const boxes = places.map(({ x, y }, i) => ({ x, y, right: x + 6 * points[i].label.length }));
  for (const [i, a] of boxes.entries()) {
    expect(a.x).toBeGreaterThanOrEqual(0);
    expect(a.right).toBeLessThanOrEqual(560);
    for (const b of boxes.slice(i + 1)) {
      expect(Math.abs(a.y - b.y) >= 12 || a.right <= b.x || b.right <= a.x).toBe(true);
    }
  }
});
