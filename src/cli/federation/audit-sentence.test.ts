import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { auditSentence, SENTENCES } from './audit-sentence.ts';

const SERVER = fileURLToPath(new URL('../../server/', import.meta.url));

test('every action that a coordinator writes has a sentence, and no other has one', () => {
  const sources = readdirSync(SERVER, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts'))
    .map((name) => readFileSync(join(SERVER, name), 'utf8'))
    .join('\n');
  const plain = [
    ...sources.matchAll(
      /'((?:operator|owner|session|backup|key|labels|quotas|clock|audit|code|prediction|federation|member|invitation|token|training|model|bundle)\.[a-z]+)'/g,
    ),
  ];
  // Uploads write `bundle.received` and `labels.received`, and a migration writes `audit.chained`.
  expect(sources).toMatch(/`\$\{kind\}\.received`/);
  const written = new Set([
    ...plain.map(([, action]) => action),
    'bundle.received',
    'labels.received',
    'audit.chained',
  ]);
  expect([...written].sort()).toEqual(Object.keys(SENTENCES).sort());
});

const training = '3f0ab1c2-5d6e-4f70-8a9b-0c1d2e3f4a5b';
test.each([
  ['member.invited', { owner: 'control-room', role: 'labels' }, 'invited control-room as label holder'],
  ['member.revoked', { owner: 'plant-7' }, 'revoked plant-7'],
  ['member.revoked', { owner: 'plant-7', invitationsCancelled: 1 }, 'revoked plant-7, and cancelled 1 unused code'],
  ['member.left', { role: 'owner', bundles: 'deleted' }, 'left; its bundles were deleted'],
  ['member.left', { role: 'labels', bundles: 'kept' }, 'left'],
  ['member.placed', {}, 'told where it is'],
  ['member.unplaced', {}, 'took back where it is'],
  ['bundle.received', { version: 2, size: 274394, sha256: 'a'.repeat(64) }, 'sent bundle version 2 (274.4 kB)'],
  [
    'bundle.deleted',
    { owner: 'a', version: 1, size: 1e6, models: [1, 2] },
    'deleted bundle version 1 of a (1.0 MB), which model 1, 2 learned from',
  ],
  [
    'token.created',
    { name: 'dash', expires: '2026-05-01T12:00:30Z' },
    'made inference token dash, good until 2026-05-01 12:00 UTC',
  ],
  ['token.created', { name: 'dash', expires: null }, 'made inference token dash, good for ever'],
  ['training.asked', { training, bundles: 3 }, 'asked for training 3f0ab1c2 on 3 bundles'],
  [
    'model.trained',
    { training, model: 2, requestedBy: 'ops' },
    'trained model 2 (training 3f0ab1c2, asked for by ops)',
  ],
  ['model.activated', { version: 2, before: 1 }, 'made model 2 active instead of model 1'],
  ['model.candidate', { version: 3, reason: 'loss is higher' }, 'kept model 3 as a candidate: loss is higher'],
  ['moon.landed', { crater: 7 }, 'moon.landed crater 7'],
  ['toString', {}, 'toString'],
])('%s', (action, details, sentence) => {
  expect(auditSentence({ id: 1, action, details })).toBe(sentence);
});
