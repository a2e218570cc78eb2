// What the dashboard shows of a federation, asked by cookie as a page does, for readers who are told everything and for others.
import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { BrowserSession } from '../../../test/support/browser-session.ts';
import { DashboardScene, SCENE_CLASSES, SCENE_HOLDER } from '../../../test/support/dashboard-scene.ts';
import { copyEmbeddedTemplate } from '../../../test/support/embedded-template.ts';
import { suiteDirectory } from '../../../test/support/temporary-directory.ts';
import { toyBundle } from '../../../test/support/toy-bundles.ts';
import { encodeBundle } from '../../exchange/bundle/bundle.ts';
import type { ModelEvaluation } from '../../exchange/messages/evaluation.ts';
import type { LiveEvent, LiveExplanation } from '../../exchange/messages/live-events.ts';
import type { CurvePoint } from '../../exchange/messages/training-list.ts';
import type { Criticality, WhatIf } from '../../exchange/messages/what-if.ts';
import { loadModel } from '../../facade/model.ts';
import type { FusedCard } from '../../fuse/model/fused-card.ts';

const GRID = '/v1/federations/grid';
const OWNERS = 6;

describe('the dashboard of a federation', () => {
  const dir = suiteDirectory();
  let scene: DashboardScene;
  let operator: BrowserSession;
  let holder: BrowserSession;
  let owner: BrowserSession;
  const get = async <T>(browser: BrowserSession, path: string): Promise<T> => {
    const answer = await browser.ask(`${GRID}${path}`);
    expect([answer.statusCode, path], answer.body).toEqual([200, path]);
    return answer.json();
  };
  const post = (browser: BrowserSession, path: string, body: object) =>
    browser.ask(`${GRID}${path}`, { method: 'POST', body });

  beforeAll(async () => {
    await copyEmbeddedTemplate(join(dir, 'coordinator', 'database'));
    scene = await DashboardScene.start({ data: dir, owners: OWNERS, samples: 300 });
    const open = (member: string) => BrowserSession.open(scene.server, scene.client(member));
    [operator, holder, owner] = [await open('operator'), await open(SCENE_HOLDER), await open('owner-0')];
  });
  afterAll(() => scene?.close());

  it('lists trainings, the newest first and page by page, each with its curve', async () => {
    const { trainings, next, workers } = await get<{
      trainings: { id: string; state: string }[];
      next: null;
      workers: number;
    }>(holder, '/trainings');
    expect(trainings).toMatchObject([
      { state: 'done', model: 2, method: 'consensus', owners: OWNERS, labels: 1, place: null, error: null },
      { state: 'done', model: 1, promotion: { promoted: true } },
    ]);
    expect([next, workers]).toEqual([null, 1]);
    const first = await get<{ trainings: { id: string }[]; next: string }>(holder, '/trainings?limit=1');
    expect(first.next).toBe(trainings[0].id);
    const second = await get<{ trainings: { id: string }[] }>(holder, `/trainings?limit=1&before=${first.next}`);
    expect(second.trainings.map(({ id }) => id)).toEqual([trainings[1].id]);
    const { curve } = await get<{ curve: CurvePoint[] }>(holder, `/trainings/${trainings[0].id}`);
    expect(curve.map(({ epoch }) => epoch)).toEqual(Array.from(curve, (_, i) => i + 1));
    expect(curve.length).toBeGreaterThan(3);
    const rounded = await get<{ curve: CurvePoint[] }>(operator, `/trainings/${trainings[0].id}`);
    expect(rounded.curve[0].trainLoss).not.toBe(curve[0].trainLoss);
    expect(rounded.curve[0].trainLoss).toBeCloseTo(curve[0].trainLoss as number, 1);
    const events = await holder.ask(`${GRID}/trainings/${trainings[0].id}/events`, {
      headers: { 'last-event-id': String(curve[1].number) },
    });
    const [, id, data] = /id: (\d+)\ndata: (.*)\n/.exec(events.body) ?? [];
    expect(JSON.parse(data).points.map(({ epoch }: CurvePoint) => epoch)).toEqual(
      curve.slice(2).map(({ epoch }) => epoch),
    );
    expect(Number(id)).toBe(curve.at(-1)?.number);
  });

  it('shows when each owner was seen last', async () => {
    const { owners } = await get<{ owners: { owner: string; joined: string; lastSeen: string }[] }>(holder, '');
    const before = owners.find((one) => one.owner === 'late-1') as (typeof owners)[number];
    expect(before.lastSeen).toBe(before.joined);
    await scene.client('late-1').me();
    const after = await get<{ owners: typeof owners }>(holder, '');
    const seen = after.owners.find((one) => one.owner === 'late-1')?.lastSeen ?? '';
    expect(Date.parse(seen)).toBeGreaterThan(Date.parse(before.joined));
  });

  it('names the worker that took a training to operators, and to nobody else', async () => {
    const worker = `${hostname()}:${process.pid}`;
    const listed = async (browser: BrowserSession) =>
      (await get<{ trainings: { id: string; worker: string | null }[] }>(browser, '/trainings')).trainings[0];
    const { id } = await listed(operator);
    expect(await listed(operator)).toMatchObject({ worker, place: null });
    expect(await get(operator, `/trainings/${id}`)).toMatchObject({ worker, place: null });
    expect((await get<{ trainings: object[] }>(operator, '')).trainings.at(-1)).toMatchObject({ worker });
    expect((await operator.ask(`${GRID}/trainings/${id}/events`)).body).toContain(JSON.stringify(worker));
    for (const path of ['/trainings', `/trainings/${id}`, '', `/trainings/${id}/events`]) {
      expect((await holder.ask(`${GRID}${path}`)).body, path).not.toContain(JSON.stringify(worker));
    }
  });

  it('shows where an owner is as long as the owner wants it, and lets nobody else say so', async () => {
    const late = scene.client('late-2');
    const placeOf = async (browser: BrowserSession) => {
      const { owners } = await get<{ owners: { owner: string; coordinates: object | null }[] }>(browser, '');
      return owners.find((one) => one.owner === 'late-2')?.coordinates;
    };
    expect(await placeOf(holder)).toBeNull();
    const place = { latitude: -33.87, longitude: 151.21 };
    await late.tellCoordinates('grid', place);
    expect(await placeOf(holder)).toEqual(place);
    expect((await owner.ask(GRID)).body).not.toContain('151.21');
    const log = JSON.stringify(await scene.client('operator').audit('grid', { limit: 1000 }));
    expect(log).toContain('member.placed');
    expect(log).not.toContain('151.21');
    for (const wrong of [{ latitude: 90.01, longitude: 0 }, { latitude: 0, longitude: -180.5 }, { latitude: 1 }]) {
      await expect(late.tellCoordinates('grid', wrong as never)).rejects.toMatchObject({ code: 'F3_REQUEST' });
    }
    const forbidden = { code: 'F3_AUTH_FORBIDDEN' };
    await expect(scene.client('operator').tellCoordinates('grid', place)).rejects.toMatchObject(forbidden);
    await expect(scene.client(SCENE_HOLDER).tellCoordinates('grid', place)).rejects.toMatchObject(forbidden);
    expect((await owner.ask(`${GRID}/coordinates`, { method: 'PUT', body: place })).json()).toMatchObject(forbidden);
    await late.tellCoordinates('grid', null);
    expect(await placeOf(operator)).toBeNull();
    await late.tellCoordinates('grid', place);
    await late.leave('grid');
    const kept = await scene.server.store.db.selectFrom('members').select('latitude').where('owner', '=', 'late-2');
    expect(await kept.execute()).toEqual([{ latitude: null }]);
  });

  it('counts which samples owners have in common', async () => {
    const overlap = await get<{
      owners: string[];
      samples: number[];
      pairs: number[];
      sets: { samples: number }[];
      all: number;
    }>(operator, '/overlap');
    expect(overlap.owners).toHaveLength(OWNERS);
    expect(overlap.pairs).toHaveLength(OWNERS ** 2);
    expect(overlap.pairs[0]).toBe(overlap.samples[0]);
    expect(overlap.sets.reduce((sum, { samples }) => sum + samples, 0)).toBe(overlap.all);
    expect((await owner.ask(`${GRID}/overlap`)).statusCode).toBe(403);
  });

  it('evaluates a model on its validation part, to the last digit for the label holder', async () => {
    const exact = await get<ModelEvaluation>(holder, '/models/2/evaluation');
    const card = await get<{ validation: { auc: number; f1: number }; samples: { validation: number } }>(
      holder,
      '/models/2',
    );
    expect(exact.told).toEqual({ exact: true, step: null, withheld: false });
    expect(exact.samples).toBe(card.samples.validation);
    expect(exact.scores.auc).toBeCloseTo(card.validation.auc, 6);
    expect(exact.scores.f1).toBeCloseTo(card.validation.f1, 6);
    expect(exact.confusion?.flat().reduce((sum, count) => sum + count, 0)).toBe(exact.samples);
    expect(exact.curves?.map((curve) => curve.class)).toEqual(SCENE_CLASSES);
    const [low, high] = exact.intervals.auc as [number, number];
    expect(low).toBeLessThanOrEqual(exact.scores.auc as number);
    expect(high).toBeGreaterThanOrEqual(exact.scores.auc as number);
    expect(exact.absence?.[0]).toMatchObject({ absent: 0, f1Deviation: 0 });
  });

  it('tells others less: rounded scores, few points, no count that tells of one sample', async () => {
    const told = await get<ModelEvaluation>(operator, '/models/2/evaluation');
    expect(told.told).toMatchObject({ exact: false, withheld: false });
    const { step } = told.told;
    for (const score of Object.values(told.scores)) {
      const steps = (score as number) / (step as number);
      expect(steps).toBeCloseTo(Math.round(steps), 6);
    }
    expect(told.confusion?.flat().every((count) => count % 10 === 0)).toBe(true);
    for (const { roc, pr } of told.curves ?? []) expect(Math.max(roc.length, pr.length)).toBeLessThanOrEqual(11);
    expect((await owner.ask(`${GRID}/models/2/evaluation`)).statusCode).toBe(403);
  });

  it('answers what if: scores and predictions without chosen owners', async () => {
    const absent = ['owner-0', 'owner-1', 'owner-2'];
    const exact = (await post(holder, '/models/2/what-if', { absent })).json() as WhatIf;
    expect(exact.base.loss).toBeCloseTo(
      (await get<ModelEvaluation>(holder, '/models/2/evaluation')).scores.loss as number,
      6,
    );
    expect(exact.scores.loss).not.toBe(exact.base.loss);
    expect(exact.changed[0].sample).toMatch(/^s\d{4}$/);
    expect(exact.shift).toBeGreaterThan(0);
    const told = (await post(operator, '/models/2/what-if', { absent })).json() as WhatIf;
    expect(told.changed.map(({ sample }) => sample).slice(0, 2)).toEqual(['#1', '#2']);
    expect(told.changed[0].before.probability).toBe(Number(exact.changed[0].before.probability.toFixed(2)));
    expect(JSON.stringify(told)).not.toMatch(/s\d{4}/);
    const nobody = (await post(holder, '/models/2/what-if', { absent: [] })).json() as WhatIf;
    expect([nobody.shift, nobody.flips, nobody.changed]).toEqual([0, 0, []]);
    const all = await post(holder, '/models/2/what-if', {
      absent: Array.from({ length: OWNERS }, (_, i) => `owner-${i}`),
    });
    expect(all.json().code).toBe('F3_FUSE_OWNER');
    expect((await post(holder, '/models/2/what-if', { absent: ['nobody'] })).json().code).toBe('F3_FUSE_OWNER');
    expect((await post(holder, '/models/9/what-if', { absent })).json().code).toBe('F3_MODEL_UNKNOWN');
    expect((await post(owner, '/models/2/what-if', { absent })).statusCode).toBe(403);
  });

  it('finds in the background which owners can least be lost, and keeps it', async () => {
    expect(await get<Criticality>(operator, '/models/2/criticality')).toMatchObject({ state: 'none', done: 0 });
    expect((await post(operator, '/models/2/criticality', {})).json()).toMatchObject({ state: 'running' });
    const state = async () => (await get<Criticality>(holder, '/models/2/criticality')).state;
    await expect.poll(state).toBe('done');
    const found = await get<Criticality>(holder, '/models/2/criticality');
    expect(found.done).toBe(found.of);
    expect(found.owners).toHaveLength(OWNERS);
    const losses = found.owners.map(({ loss }) => loss as number);
    expect(losses).toEqual(losses.toSorted((a, b) => b - a));
    expect(found.five).toHaveLength(5);
    expect(found.five[4].loss).toBeGreaterThan(found.owners[0].loss as number);
    const alone = (await post(holder, '/models/2/what-if', { absent: [found.owners[0].owner] })).json() as WhatIf;
    expect(found.owners[0].loss).toBeCloseTo((alone.scores.loss as number) - (alone.base.loss as number), 6);
    const again = (await post(operator, '/models/2/criticality', {})).json() as Criticality;
    expect(again).toMatchObject({ state: 'done', told: { exact: false } });
    expect(again.owners.map((one) => one.owner)).toEqual(found.owners.map((one) => one.owner));
  });

  it('shows how a model aligns an owner', async () => {
    const alignment = await get<{ kind: string; rows: number; columns: number; values: number[] }>(
      operator,
      '/models/2/alignments/owner-1',
    );
    expect(alignment.kind).toBe('soft');
    expect(alignment.columns).toBe(5);
    expect(alignment.values).toHaveLength(alignment.rows * alignment.columns);
    const unknown = await operator.ask(`${GRID}/models/2/alignments/nobody`);
    expect(unknown.json().code).toBe('F3_FUSE_OWNER');
  });

  it('tells of live predictions as they are made, resumes, and says who pushed one which way', async () => {
    const samples: string[] = [];
    for (let i = 0; i < 4; i++) samples.push(await scene.sendLive(200));
    const read = async (headers = {}): Promise<LiveEvent[]> => {
      const stream = await operator.ask(`${GRID}/live/events?seconds=0`, { headers });
      return [...stream.body.matchAll(/^data: (.*)$/gm)].map(([, data]) => JSON.parse(data));
    };
    const [{ classes, predictions, skipped }] = await read();
    expect([classes, skipped]).toEqual([SCENE_CLASSES, 0]);
    const last = predictions.findLast(({ sample }) => sample === samples[3]);
    expect(last).toMatchObject({
      present: OWNERS - 1,
      owners: OWNERS,
      absent: ['owner-3'],
      isLate: true,
      source: 'live',
    });
    const whole = predictions.findLast(({ sample }) => sample === samples[0]);
    expect(whole).toMatchObject({ present: OWNERS, absent: [], isLate: false, canExplain: true });
    expect(await read({ 'last-event-id': String(predictions.at(-1)?.number) })).toEqual([]);
    const why = await get<LiveExplanation>(operator, `/live/${samples[3]}/explanation`);
    expect(why).toMatchObject({ method: 'leave-one-out', model: last?.model, class: last?.class, absent: ['owner-3'] });
    expect(why.base).toBeCloseTo(Math.max(...(last?.probabilities ?? [])), 4);
    expect(why.owners.map(({ owner: name }) => name).sort()).toEqual(
      Array.from({ length: OWNERS }, (_, i) => `owner-${i}`).filter((name) => name !== 'owner-3'),
    );
    const sizes = why.owners.map(({ effect }) => Math.abs(effect));
    expect(sizes).toEqual(sizes.toSorted((a, b) => b - a));
    const unknown = await operator.ask(`${GRID}/live/nobody-sent-this/explanation`);
    expect(unknown.json().code).toBe('F3_SAMPLE_UNKNOWN');
    expect((await owner.ask(`${GRID}/live/events?seconds=0`)).statusCode).toBe(403);
  });

  it('tells of predictions that programs ask for by the Open Inference Protocol', async () => {
    const { json } = await operator.ask('/v2/models/grid');
    const [{ name, shape }] = json().inputs as { name: string; shape: number[] }[];
    const inputs = [{ name, datatype: 'FP32', shape: [2, shape[1]], data: new Array<number>(2 * shape[1]).fill(0.1) }];
    await scene.client('operator').connection.json('POST', '/v2/models/grid/infer', { id: 'night', inputs });
    const stream = await operator.ask(`${GRID}/live/events?seconds=0`);
    const { predictions } = JSON.parse([...stream.body.matchAll(/^data: (.*)$/gm)].at(-1)?.[1] ?? '') as LiveEvent;
    const made = { source: 'batch', present: 1, owners: OWNERS, isLate: false, canExplain: true };
    expect(predictions.slice(-2)).toMatchObject([
      { sample: 'night row 0', ...made },
      { sample: 'night row 1', ...made },
    ]);
    const why = await get<LiveExplanation>(operator, '/live/night%20row%201/explanation');
    expect([why.class, why.owners, why.absent.length]).toEqual([predictions.at(-1)?.class, [], OWNERS - 1]);
  });

  it('reads the audit log backwards, page by page', async () => {
    const read = async (page: string) =>
      (await get<{ entries: { id: number; number: number }[] }>(operator, `/audit?${page}`)).entries;
    const all = (await read('limit=1000')).map(({ number }) => number);
    const newest = await read('order=newest&limit=3');
    const older = await read(`order=newest&limit=3&before=${newest[2].id}`);
    expect([...newest, ...older].map(({ number }) => number)).toEqual(all.toReversed().slice(0, 6));
    expect(await read(`order=newest&after=${newest[2].id}`)).toEqual(newest.slice(0, 2));
    expect((await operator.ask(`${GRID}/audit?order=sideways`)).json().code).toBe('F3_REQUEST');
  });

  it('promotes with a reason, which the audit log keeps', async () => {
    const reason = 'better in storms';
    expect((await post(operator, '/models/2/activate', { reason })).json()).toEqual({ activeModel: 2 });
    expect((await operator.ask(`${GRID}/models/1/activate`, { method: 'POST' })).json()).toEqual({ activeModel: 1 });
    const { entries } = await get<{ entries: { action: string; details: object }[] }>(operator, '/audit?limit=1000');
    const activated = entries.filter(({ action }) => action === 'model.activated').map(({ details }) => details);
    expect(activated).toContainEqual({ version: 2, before: 1, reason });
    expect(activated).toContainEqual({ version: 1, before: 2 });
    const broken = await post(operator, '/models/2/activate', { reason: 'two\nlines' });
    expect(broken.json().code).toBe('F3_REQUEST');
  });

  it('gives a model out as an archive that f3 loads', async () => {
    const answer = await operator.ask(`${GRID}/models/2/archive`);
    expect(answer.headers['content-disposition']).toBe('attachment; filename="grid-model-2.tar"');
    mkdirSync(join(dir, 'archive'));
    writeFileSync(join(dir, 'archive', 'model.tar'), answer.rawPayload);
    execFileSync('tar', ['-xf', 'model.tar'], { cwd: join(dir, 'archive') });
    const model = await loadModel(join(dir, 'archive', 'grid-model-2'));
    expect(model.facts.classes).toEqual(SCENE_CLASSES);
    // What predictions depend on is whole, although the operator is told scores in rounded form.
    const stored = await get<FusedCard>(holder, '/models/2');
    expect(stored.decision?.gains).toHaveLength(SCENE_CLASSES.length);
    expect(model.facts.decision).toEqual(stored.decision);
    expect(model.facts.calibration?.temperature).toBeCloseTo(stored.calibration?.temperature as number, 1);
    await model.dispose();
    expect((await holder.ask(`${GRID}/models/2/archive`)).statusCode).toBe(403);
  });

  it('cannot score a model whose bundles were deleted, and says so', async () => {
    const client = scene.client('owner-5');
    const { embeddings, ...bundle } = toyBundle(5, { samples: 300, classes: SCENE_CLASSES, width: () => 6 });
    await client.upload(
      'grid',
      'bundle',
      encodeBundle({ ...bundle, embeddings: embeddings.map((value) => value / 2) }),
    );
    await client.deleteBundle('grid', 'owner-5', 1, { despiteModels: true });
    const answer = await holder.ask(`${GRID}/models/1/evaluation`);
    expect(answer.json()).toEqual({
      code: 'F3_EVALUATION',
      message:
        'model 1 of grid: must have all bundles that it learned from, got none of owner-5 in version 1: it was deleted',
    });
  });
});
