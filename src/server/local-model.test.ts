// `f3 model open` behind the command: one model, one read-only session, on loopback.
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { copyEmbeddedTemplate } from '../../test/support/embedded-template.ts';
import { suiteDirectory } from '../../test/support/temporary-directory.ts';
import { toyBundles } from '../../test/support/toy-bundles.ts';
import { readBytes } from '../base/read-file.ts';
import { fuse } from '../facade/fuse.ts';
import { MODEL_WEIGHTS_FILE, readFusedCard } from '../fuse/model/model-folder.ts';
import { type OpenedLocalModel, openLocalModel } from './local-model.ts';

describe('a model of this machine', () => {
  const dir = suiteDirectory();
  let opened: OpenedLocalModel;
  let origin: string;
  let cookie: string;
  const ask = (path: string, method = 'GET', body?: object) =>
    fetch(`${origin}${path}`, {
      method,
      headers: { cookie, origin, 'x-f3-session': '1', 'content-type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
    });

  beforeAll(async () => {
    await copyEmbeddedTemplate(join(dir, 'coordinator', 'database'));
    const { bundles, labels, split } = toyBundles(dir, { owners: 4, samples: 120 });
    const config = { preset: 'paper' as const, epochs: 2, hidden: 4 };
    const model = await fuse({ bundles, labels, split, config, threads: 1 });
    await model.save(join(dir, 'model'));
    await model.dispose();
    const card = await readFusedCard(join(dir, 'model'));
    const weights = await readBytes(join(dir, 'model', MODEL_WEIGHTS_FILE), 'weights', 'F3_MODEL_FORMAT');
    opened = await openLocalModel({ card, weights, data: { bundles, labels, split }, folder: dir });
    const [address, code] = (await opened.link()).split('/#code=');
    origin = address;
    cookie = '';
    const answer = await ask('/v1/sessions', 'POST', { code });
    cookie = (answer.headers.get('set-cookie') ?? '').split(';')[0];
  }, 300_000);
  afterAll(() => opened?.close());

  it('is scored on its validation part to the last digit, and answers what if', async () => {
    const card = await readFusedCard(join(dir, 'model'));
    const evaluation = await (await ask('/v1/federations/model/models/1/evaluation')).json();
    expect(evaluation).toMatchObject({ samples: card.samples.validation, told: { exact: true } });
    expect(evaluation.scores.loss).toBeCloseTo(card.validation.loss, 6);
    const effect = await (await ask('/v1/federations/model/models/1/what-if', 'POST', { absent: ['owner-0'] })).json();
    expect(effect.scores.loss).not.toBe(effect.base.loss);
    const graph = await (await ask('/v1/federations/model/models/1/graph')).json();
    expect(graph.owners).toEqual(['owner-0', 'owner-1', 'owner-2', 'owner-3']);
  });

  it('attack: its session trains, activates or changes rules', async () => {
    for (const [path, body] of [
      ['/trainings', {}],
      ['/labels/rules', { trainings: 1 }],
      ['/models/1/activate', {}],
    ] as const) {
      const answer = await ask(`/v1/federations/model${path}`, 'POST', body);
      expect([path, answer.status < 500 && answer.status >= 400]).toEqual([path, true]);
    }
    const trained = await ask('/v1/federations/model/trainings', 'POST', {});
    expect(await trained.json()).toMatchObject({ code: 'F3_AUTH_FORBIDDEN' });
  });
});
