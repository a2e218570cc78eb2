import { describe, expect, it } from 'vitest';
import { factLines, indented, tableLines } from './table.ts';

interface Row {
  name: string;
  samples: number | null;
  auc?: number;
}

const COLUMNS = [
  { title: 'owner', cell: ({ name }: Row) => name },
  { title: 'samples', cell: ({ samples }: Row) => samples },
  { title: 'AUC', cell: ({ auc }: Row) => auc, digits: 3 },
];

describe('a table', () => {
  it('puts text to the left, numbers to the right and a dash where there is nothing', () => {
    const rows = [
      { name: 'plant-7', samples: 4000, auc: 0.91249 },
      { name: 'x', samples: null, auc: 1 },
      { name: '', samples: 12, auc: Number.NaN },
    ];
    expect(tableLines(COLUMNS, rows)).toEqual([
      'owner    samples    AUC',
      'plant-7     4000  0.912',
      'x              –  1.000',
      '–             12      –',
    ]);
  });

  it('is its titles where there are no rows', () => {
    expect(tableLines(COLUMNS, [])).toEqual(['owner  samples  AUC']);
  });

  it('counts the places that letters take, not their bytes', () => {
    const lines = tableLines(COLUMNS, [
      { name: '東京', samples: 1 },
      { name: 'é', samples: 2 },
      { name: 'e\u0301', samples: 3 },
    ]);
    expect(lines.slice(1)).toEqual(['東京         1    –', 'é            2    –', 'e\u0301            3    –']);
  });

  it('shows no control character that somebody put into a name', () => {
    expect(tableLines(COLUMNS, [{ name: 'a\u001b[2Jb\nc', samples: 1 }])[1]).toContain('a [2Jb c');
  });
});

describe('facts', () => {
  it('stand behind their names; those without a value are left out', () => {
    const facts = [
      ['classes', 'calm, storm'],
      ['active model', 2],
      ['labels', undefined],
      ['open', false],
    ] as const;
    expect(indented(factLines(facts))).toEqual([
      '  classes       calm, storm',
      '  active model  2',
      '  open          no',
    ]);
  });
});
