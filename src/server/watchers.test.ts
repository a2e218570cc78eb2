import { expect, it } from 'vitest';
import { Watchers } from './watchers.ts';

it('attack: streams without end, of one member or of many, leave room for no more, and give it back', () => {
  const watchers = new Watchers('trainings', { most: 3, mostPerMember: 2 });
  const leave = [watchers.enter('greedy'), watchers.enter('greedy')];
  expect(() => watchers.enter('greedy')).toThrow(expect.objectContaining({ code: 'F3_BUSY' }));
  watchers.enter('other');
  expect(() => watchers.enter('third')).toThrow('trainings: at most 3 may watch at a time, 2 of them one member');
  for (const each of leave) each();
  watchers.enter('third');
  watchers.enter('greedy');
});
