// The table of live answers in the report pages of `f3 demo`.
import type { Cell, ResultTable } from '../../figures/result.ts';
import type { DemoAnswer } from './demo-result.ts';

export function answersTable(live: readonly DemoAnswer[], title: string, note: string): ResultTable {
  return {
    title,
    columns: ['event', 'answer', 'probability', 'truth', 'owners present'],
    rows: live.map(({ sample, class: answer, probability, truth, present }): Cell[] => [
      sample,
      answer,
      { mean: probability, digits: 2 },
      truth,
      { mean: present.length, digits: 0 },
    ]),
    note,
  };
}
