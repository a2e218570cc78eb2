// Attacks on labels by somebody who may train and read what came of it, but not the labels.
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { FederationScene } from '../../test/support/federation-scene.ts';
import { suiteDirectory } from '../../test/support/temporary-directory.ts';
import { toyBundle, toyId, toyLabels } from '../../test/support/toy-bundles.ts';
import { encodeArrow, textColumn } from '../base/arrow-table.ts';
import { encodeBundle } from '../exchange/bundle/bundle.ts';
import type { ModelDetails, TrainingRequest } from '../exchange/messages.ts';
import type { FusedCard } from '../fuse/model/fused-card.ts';
import { runTraining } from './training/run-training.ts';

const SAMPLES = 200;
const CLASSES = ['calm', 'storm'];
const ids = Array.from({ length: SAMPLES }, (_, s) => toyId(s));
const truth = toyLabels(SAMPLES, 2, 1);
const quick = { epochs: 1, hidden: 4 };

describe('labels', () => {
  const dir = suiteDirectory();
  let scene: FederationScene;
  let federations = 0;
  beforeAll(async () => {
    scene = await FederationScene.start({
      data: join(dir, 'data'),
      work: false,
      quotas: { memberQueued: 1000, federationQueued: 1000 },
    });
  });
  afterAll(() => scene?.server.close());

  /** A federation of one owner and one label holder, who has changed no rule. */
  async function plainFederation() {
    const name = `plain-${++federations}`;
    await scene.client('operator').createFederation(name, CLASSES);
    const [owner, holder] = [`${name}-owner`, `${name}-holder`];
    await scene.join(owner, 'owner', name);
    await scene.join(holder, 'labels', name);
    await sendBundle(name, owner, SAMPLES);
    await sendLabels(name, holder);
    return { name, owner, holder };
  }

  const sendBundle = (name: string, owner: string, samples: number, saw = (_: number) => true) => {
    const bundle = toyBundle(0, { samples, saw: (_, sample) => saw(sample) });
    return scene.client(owner).upload(name, 'bundle', encodeBundle({ ...bundle, owner }), undefined, { again: true });
  };
  const sendLabels = (name: string, holder: string, last = SAMPLES) => {
    const names = Array.from(truth.subarray(0, last), (label) => CLASSES[label]);
    const table = encodeArrow({ sample: textColumn(ids.slice(0, last)), label: textColumn(names) }, {});
    return scene.client(holder).upload(name, 'labels', table);
  };

  /** Trains as a member and reads the card as that member. */
  async function train(name: string, request: TrainingRequest, member = 'operator'): Promise<ModelDetails> {
    const { id } = await scene.client(member).train(name, { config: quick, ...request });
    const { status, error, modelVersion } = await runTraining(scene.server.store, id, { threads: 1 });
    if (status !== 'done') throw Object.assign(new Error(error?.message), error);
    return scene.client(member).model(name, modelVersion as number);
  }

  const splitWith = (test: string[]) => {
    const others = ids.filter((id) => !test.includes(id));
    return { train: others.slice(0, 120), validation: others.slice(120, 150), test };
  };

  it('attack: a test part of one sample, whose PR AUC is its label', async () => {
    const { name } = await plainFederation();
    for (const sample of ids.slice(0, 20)) {
      await expect(train(name, { split: splitWith([sample]) })).rejects.toMatchObject({ code: 'F3_LABELS_PART' });
    }
    // It worked on all of them before there were rules, and does where the label holder takes every rule away.
    const { name: open, holder } = await plainFederation();
    await scene.allowAll(holder, open);
    for (const [s, sample] of ids.slice(0, 3).entries()) {
      const { test } = await train(open, { split: splitWith([sample]) });
      expect(test.prAuc).toBe(truth[s]);
    }
  });

  it('attack: the same with samples that nobody labelled, to fill the part', async () => {
    const { name } = await plainFederation();
    const unknown = Array.from({ length: 30 }, (_, i) => `nobody-${i}`);
    await expect(train(name, { split: splitWith([ids[0], ...unknown]) })).rejects.toMatchObject({
      code: 'F3_LABELS_PART',
      message: expect.not.stringMatching(/storm|calm|got 1/),
    });
  });

  it('attack: two trainings whose test parts differ by one sample, and the difference of their scores', async () => {
    const { name } = await plainFederation();
    await train(name, { split: splitWith(ids.slice(150)) });
    await expect(train(name, { split: splitWith(ids.slice(151)) })).rejects.toMatchObject({ code: 'F3_LABELS_SPLIT' });
    await expect(train(name, { split: 7 })).rejects.toMatchObject({ code: 'F3_LABELS_SPLIT' });
  });

  it('attack: the same by a member who may split as it likes; the second is told nothing of that part', async () => {
    const { name, holder } = await plainFederation();
    const { owner: operator } = await scene.client('operator').me();
    await scene.client(holder).grantLabels(name, operator, { trainings: 10, anySplit: true });
    const split = splitWith(ids.slice(150));
    expect((await train(name, { split })).test.accuracy).not.toBeNull();
    const { test, validation } = await train(name, { split: { ...split, test: ids.slice(151) } });
    expect(test).toEqual({ accuracy: null, f1: null, auc: null, prAuc: null, loss: null });
    expect(validation.accuracy).not.toBeNull(); // that part is the same, so that it tells nothing new
    const listed = (await scene.client('operator').models(name)).at(-1);
    expect(listed).toMatchObject({ test: { accuracy: null, loss: null } });
    expect((await scene.client(holder).models(name)).at(-1)?.test?.loss).toEqual(expect.any(Number));
  });

  it('attack: the same split, and an owner that sends one sample less', async () => {
    const { name, owner } = await plainFederation();
    const split = splitWith(ids.slice(150));
    await train(name, { split });
    await sendBundle(name, owner, SAMPLES, (sample) => sample !== 160);
    const { test, validation, history } = await train(name, { split });
    expect(test.loss).toBeNull();
    expect(validation.loss).not.toBeNull();
    expect(history).toEqual([expect.objectContaining({ trainLoss: expect.any(Number) })]);
    await sendBundle(name, owner, SAMPLES, (sample) => sample !== 5);
    const third = await train(name, { split });
    expect(third.history).toEqual([expect.objectContaining({ trainLoss: null, validationLoss: expect.any(Number) })]);
  });

  it('attack: losses to the last digit, from which many labels can be read at once', async () => {
    const { name, holder } = await plainFederation();
    const card = await train(name, { split: 1 });
    const digits = (score: number | null) => String(score).split('.')[1]?.length ?? 0;
    for (const part of [card.validation, card.test]) {
      for (const score of Object.values(part)) expect(digits(score)).toBeLessThanOrEqual(2);
    }
    const { trainings = [] } = await scene.client('operator').status(name);
    const [{ id }] = trainings;
    const { progress } = await scene.client('operator').training(name, id);
    const told = progress as Record<string, number>;
    expect(Math.max(digits(told.trainLoss), digits(told.validationLoss))).toBeLessThanOrEqual(2);
    const exact = await scene.client(holder).training(name, id);
    expect(digits((exact.progress as Record<string, number>).trainLoss)).toBeGreaterThan(2);
  });

  it('attack: counts that tell whether an id is labelled', async () => {
    const { name, owner } = await plainFederation();
    const first = await train(name, { split: 1 });
    expect(first.samples).toEqual({ train: 140, validation: 20, test: 40 });
    expect(first.owners).toMatchObject([{ joined: 200 }]);
    await sendBundle(name, owner, SAMPLES, (sample) => sample !== 3);
    const second = await train(name, { split: 1 });
    expect(second.samples).toEqual(first.samples);
    expect(second.owners).toMatchObject([{ joined: 200 }]);
  });

  it('attack: an owner that sends one id, and the count of its samples that have a label', async () => {
    const { name, owner, holder } = await plainFederation();
    const labelledOf = async (member: string) => {
      const { body } = await scene.ask(member, { path: `/v1/federations/${name}/overlap` });
      const { labelled, allLabelled } = JSON.parse(body);
      return [...labelled, allLabelled];
    };
    expect(await labelledOf(holder)).toEqual([SAMPLES, SAMPLES]);
    for (const count of await labelledOf('operator')) expect([190, 200]).toContain(count);
    await sendBundle(name, owner, SAMPLES, (sample) => sample === 3);
    expect(await labelledOf(holder)).toEqual([1, 1]);
    expect(await labelledOf('operator')).toEqual([0, 0]);
    await scene
      .client(holder)
      .grantLabels(name, (await scene.client('operator').me()).owner, { trainings: 1, exactScores: true });
    expect(await labelledOf('operator')).toEqual([1, 1]);
  });

  it('attack: the hash of the validation part, tried against every labelling', async () => {
    const { name, holder } = await plainFederation();
    const told = [await train(name, { split: 1 }), await scene.client(holder).model(name, 1)];
    const { card } = await scene.server.store.db
      .selectFrom('models')
      .select('card')
      .where('federation', '=', name)
      .executeTakeFirstOrThrow();
    for (const { validatedOn } of told) {
      expect(validatedOn).toMatch(/^[0-9a-f]{64}$/);
      expect(validatedOn).not.toBe((card as { validatedOn?: string }).validatedOn);
    }
    expect(told[0].validatedOn).toBe(told[1].validatedOn);
  });

  it('attack: the same hash in a model that is downloaded, and in the members of an ensemble', async () => {
    const { name, holder } = await plainFederation();
    await train(name, { split: 1, ensemble: { fits: 2 } });
    const { card } = await scene.server.store.db
      .selectFrom('models')
      .select('card')
      .where('federation', '=', name)
      .executeTakeFirstOrThrow();
    const { validatedOn, ensemble } = card as unknown as FusedCard;
    expect(ensemble?.members.map((member) => member.validatedOn)).toEqual([validatedOn, validatedOn]);
    const model = `/v1/federations/${name}/models/1`;
    const asked = [
      ['operator', model],
      [holder, model],
      ['operator', `${model}/archive`],
    ];
    const { owner: operator } = await scene.client('operator').me();
    for (const exactScores of [false, true]) {
      await scene.client(holder).grantLabels(name, operator, { trainings: 1, exactScores });
      for (const [member, path] of asked) {
        const { status, body } = await scene.ask(member, { path });
        expect(status).toBe(200);
        expect(body).toContain('validatedOn');
        expect(body).not.toContain(validatedOn);
      }
    }
  });

  it('attack: the hash of the labels in the audit log, tried by somebody who knows all but the newest', async () => {
    const { name, holder } = await plainFederation();
    const { sha256 } = (await sendLabels(name, holder, SAMPLES - 1)) as { sha256: string };
    const entries = await scene.client('operator').audit(name, { limit: 1000 });
    const received = entries.filter(({ action }) => action === 'labels.received').map(({ details }) => details);
    expect(received).toMatchObject([{ version: 1 }, { version: 2 }]);
    for (const details of received) expect(details?.keyedSha256).toMatch(/^[0-9a-f]{64}$/);
    expect(sha256).toMatch(/^[0-9a-f]{64}$/);
    expect(JSON.stringify(entries)).not.toContain(sha256);
  });

  it('attack: the size of the labels in the audit log and the quotas, which counts the samples of a class', async () => {
    const { name, holder } = await plainFederation();
    const sizes = async () => {
      const entries = await scene.client('operator').audit(name, { limit: 1000 });
      const quotas = await scene.client('operator').quotas(name);
      return {
        logged: entries.findLast(({ action }) => action === 'labels.received')?.details?.size,
        taken: quotas.find(({ quota }) => quota === 'federationBytes')?.used ?? 0,
      };
    };
    const before = await sizes();
    const sent = [];
    const ids = Array.from({ length: SAMPLES }, (_, s) => toyId(s));
    for (const storms of [0.1, 0.9]) {
      const names = ids.map((_, s) => CLASSES[s < storms * SAMPLES ? 1 : 0]);
      const labels = encodeArrow({ sample: textColumn(ids), label: textColumn(names) }, {});
      await scene.client(holder).upload(name, 'labels', labels);
      sent.push({ bytes: labels.length, ...(await sizes()) });
    }
    const [first, second] = sent;
    expect(second.bytes).toBeGreaterThan(first.bytes);
    expect(second.logged).toBe(before.logged);
    expect(second.taken - first.taken).toBe(first.taken - before.taken);
  });

  it('attack: asking again and again, under new names each time', async () => {
    const { name, holder } = await plainFederation();
    await scene.client(holder).setLabelRules(name, { trainings: 2 });
    await train(name, { split: 1 });
    await scene.join(`${name}-ops`, 'operator', name);
    const other = scene.client(`${name}-ops`);
    const { id } = await other.train(name, { config: quick, split: 1 });
    const refused = { code: 'F3_LABELS_BUDGET' };
    await expect(other.train(name, { config: quick, split: 1 })).rejects.toMatchObject(refused);
    await scene.join(`${name}-more`, 'operator', name);
    await expect(scene.client(`${name}-more`).train(name, { config: quick })).rejects.toMatchObject(refused);
    // What was cancelled before it began told nothing.
    await other.cancelTraining(name, id);
    const again = await scene.client(`${name}-more`).train(name, { config: quick });
    // What was cancelled after that may have.
    await scene.server.store.executeSql(`update trainings set started = now(), status = 'running' where id = $1`, [
      again.id,
    ]);
    await scene.client(`${name}-more`).cancelTraining(name, again.id);
    await expect(other.train(name, { config: quick, split: 1 })).rejects.toMatchObject(refused);
  });

  it('attack: ten trainings at once past the budget', async () => {
    const { name, holder } = await plainFederation();
    await scene.client(holder).setLabelRules(name, { trainings: 3 });
    const ask = () => scene.client('operator').train(name, { config: quick, split: 1 });
    const outcomes = await Promise.allSettled(Array.from({ length: 10 }, ask));
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(3);
  });

  it('attack: an operator revokes the label holder, takes its name, and allows itself everything', async () => {
    const { name, holder } = await plainFederation();
    await scene.client(holder).setLabelRules(name, { open: 'granted' });
    await scene.client('operator').revoke(name, holder);
    await scene.join(holder, 'labels', name);
    const impostor = scene.client(holder);
    await impostor.setLabelRules(name, { smallestPart: 1, smallestClass: 0, trainings: 1000, open: 'trainers' });
    const { owner: operator } = await scene.client('operator').me();
    await impostor.grantLabels(name, operator, { trainings: 1000, anySplit: true, exactScores: true });
    const refused = { code: 'F3_LABELS_CONSENT' };
    await expect(train(name, { split: splitWith(ids.slice(150)) })).rejects.toMatchObject(refused);
    await expect(impostor.train(name, { config: quick, split: 1 })).rejects.toMatchObject(refused);
  });

  it('attack: an operator or an owner changes what the label holder allows', async () => {
    const { name, owner } = await plainFederation();
    for (const member of ['operator', owner]) {
      const client = scene.client(member);
      const { owner: self } = await client.me();
      const forbidden = { code: 'F3_AUTH_FORBIDDEN' };
      await expect(client.setLabelRules(name, { smallestPart: 1 })).rejects.toMatchObject(forbidden);
      await expect(client.grantLabels(name, self, { trainings: 9 })).rejects.toMatchObject(forbidden);
      await expect(client.revokeLabels(name, self)).rejects.toMatchObject(forbidden);
    }
  });

  it('attack: a part that is all but one of the same class, so that a refusal or a score tells the last', async () => {
    const { name } = await plainFederation();
    const calm = ids.filter((_, s) => truth[s] === 0).slice(0, 29);
    const storm = ids[truth.indexOf(1)];
    await expect(train(name, { split: splitWith([...calm, storm]) })).rejects.toMatchObject({
      code: 'F3_LABELS_PART',
      message:
        'split: every part must have at least 10 samples that are labelled and that an owner saw, and 3 beside the most frequent class, got fewer in one of them',
    });
  });

  it('attack: a refit, which has the split of its model, counts as a training on the labels', async () => {
    const { name, owner, holder } = await plainFederation();
    await train(name, { split: 1 });
    await scene.client('operator').activate(name, 1);
    await sendBundle(name, owner, SAMPLES, (sample) => sample !== 199);
    await scene.client(holder).setLabelRules(name, { trainings: 1 });
    const refit = scene.client('operator').train(name, { refit: { owner } });
    await expect(refit).rejects.toMatchObject({ code: 'F3_LABELS_BUDGET' });
  });

  it('attack: the only class of a part, or the first id of the labels, in the message of a failure', async () => {
    const { name, owner, holder } = await plainFederation();
    const calm = ids.filter((_, s) => truth[s] === 0);
    const rest = ids.filter((id) => !calm.includes(id));
    const split = { train: calm.slice(0, 50), validation: rest.slice(0, 30), test: rest.slice(30, 60) };
    await expect(train(name, { split })).rejects.toMatchObject({
      code: 'F3_LABELS_PART',
      message: expect.not.stringContaining('calm'),
    });
    const bundle = toyBundle(0, { samples: 50 });
    const strange = { ...bundle, owner, samples: bundle.samples.map((id) => `other-${id}`) };
    await scene.client(owner).upload(name, 'bundle', encodeBundle(strange));
    await expect(train(name, { split }, holder)).rejects.toMatchObject({
      code: 'F3_FUSE_OVERLAP',
      message: expect.not.stringMatching(/s0/),
    });
  });

  it('list who may train and how often it was done, and the audit log has each training with its split', async () => {
    const { name, holder } = await plainFederation();
    await train(name, { split: 1 });
    const { owner: operator } = await scene.client('operator').me();
    expect(await scene.client('operator').labelAccess(name)).toEqual({
      holder,
      labels: 1,
      rules: { smallestPart: 10, smallestClass: 3, trainings: 50, open: 'trainers' },
      used: 1,
      split: { seed: 1 },
      grants: [],
    });
    await scene.client(holder).grantLabels(name, operator, { trainings: 2 });
    expect(await scene.client(holder).labelAccess(name)).toMatchObject({
      used: 0,
      grants: [{ member: operator, trainings: 2, used: 1, anySplit: false, exactScores: false }],
    });
    await scene.client(holder).revokeLabels(name, operator);
    expect(await scene.client(holder).labelAccess(name)).toMatchObject({ used: 1, grants: [] });
    const entries = await scene.client('operator').audit(name, { limit: 1000 });
    const asked = entries.filter(({ action }) => action === 'training.asked');
    expect(asked).toMatchObject([{ details: { labels: 1, split: { seed: 1 } } }]);
    expect(entries.map(({ action }) => action)).toEqual(expect.arrayContaining(['labels.granted', 'labels.refused']));
  });
});
