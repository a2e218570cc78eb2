// Whose audits a home folder finds again, and for what.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { temporaryDirectory } from '../../../test/support/temporary-directory.ts';
import type { Bundle } from '../../exchange/bundle/bundle.ts';
import type { OwnerAudit } from './audit-owner.ts';
import { embeddingsHash, findAudit, findModelAudit, keepAudit } from './kept-audits.ts';

const model = 'a'.repeat(64);
const bundle: Bundle = {
  owner: 'north',
  samples: ['s1', 's2'],
  sampleType: 'text',
  width: 1,
  embeddings: new Float32Array([1, 2]),
  model,
};
const audit = (worst: number, change: Partial<OwnerAudit> = {}) =>
  ({ owner: 'north', model, worst, recoveries: [], ...change }) as unknown as OwnerAudit;

let home: string;
beforeEach(() => {
  home = temporaryDirectory();
});

describe('an audit that is kept', () => {
  it('is about one owner’s readings, also where another owner has the same model', () => {
    keepAudit(home, audit(0.1, { owner: 'south' }));
    expect(findAudit(home, bundle)).toBeUndefined();
    expect(findModelAudit(home, { owner: 'north', model })).toBeUndefined();
    keepAudit(home, audit(0.9));
    expect(findAudit(home, bundle)?.worst).toBe(0.9);
    expect(findModelAudit(home, { owner: 'south', model })?.worst).toBe(0.1);
  });

  it('of the model hides no audit of these embeddings that found more', () => {
    keepAudit(home, audit(0.2));
    keepAudit(home, audit(0.7, { model: embeddingsHash(bundle) }));
    expect(findAudit(home, bundle)?.worst).toBe(0.7);
    keepAudit(home, audit(0.8));
    expect(findAudit(home, bundle)?.worst).toBe(0.8);
  });

  it('by an earlier version is found, and counts no more once the model was audited again', () => {
    mkdirSync(join(home, 'audits'));
    const write = (value: unknown) => writeFileSync(join(home, 'audits', `${model}.json`), JSON.stringify(value));
    write(audit(0.4));
    expect(findAudit(home, bundle)?.worst).toBe(0.4);
    write(audit(0.4, { owner: 'south' }));
    expect(findAudit(home, bundle)).toBeUndefined();
    for (const broken of [null, { worst: 0 }, { ...audit(0), recoveries: [1] }, { ...audit(0), worst: '0' }]) {
      write(broken);
      expect(findAudit(home, bundle)).toBeUndefined();
    }
    write(audit(0.4));
    keepAudit(home, audit(0.3));
    expect(findAudit(home, bundle)?.worst).toBe(0.3);
  });

  it('is refused in words where it cannot be kept', () => {
    writeFileSync(join(home, 'audits'), 'a file in the way of the folder');
    const refused = { code: 'F3_HOME', message: expect.stringContaining('must be writable') };
    expect(() => keepAudit(home, audit(0.1))).toThrow(expect.objectContaining(refused));
  });
});
