// The coordinator as its members meet it: real keys, real client, real database, no mock.
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { copyEmbeddedTemplate } from '../../test/support/embedded-template.ts';
import { suiteDirectory } from '../../test/support/temporary-directory.ts';
import { toyBundle, toyId, toyLabels } from '../../test/support/toy-bundles.ts';
import { encodeArrow, textColumn } from '../base/arrow-table.ts';
import { encodeBundle } from '../exchange/bundle/bundle.ts';
import { CoordinatorClient } from '../exchange/client/coordinator-client.ts';
import { createKeyPair, loadKeyPair } from '../exchange/identity/key-pair.ts';
import { signRequest } from '../exchange/identity/request-token.ts';
import { type RunningServer, startServer } from './start-server.ts';

const OWNERS = ['owner-0', 'owner-1', 'owner-2'];
const SAMPLES = 120;
/** The longest deadline, for owners who all come: however slow the machine, the last one brings the answer. */
const PATIENCE_MS = 50_000;

describe('a coordinator', () => {
  const dir = suiteDirectory();
  const clients = new Map<string, CoordinatorClient>();
  let server: RunningServer;
  let operator: CoordinatorClient;
  const client = (name: string) => clients.get(name) as CoordinatorClient;

  beforeAll(async () => {
    await copyEmbeddedTemplate(join(dir, 'data', 'database'));
    server = await startServer({ data: join(dir, 'data'), host: '127.0.0.1', port: 0, work: true, threads: 1 });
    operator = new CoordinatorClient({ url: server.url, keys: await loadKeyPair(server.operatorKey) });
  });
  afterAll(() => server?.close());

  it('lets an operator make a federation and invite, and members join once', async () => {
    await operator.createFederation('grid', ['calm', 'storm']);
    for (const [name, role] of [...OWNERS.map((owner) => [owner, 'owner']), ['holder', 'labels']] as const) {
      const { code } = await operator.invite('grid', { owner: name, role: role as 'owner' | 'labels' });
      const keys = await createKeyPair();
      const anonymous = new CoordinatorClient({ url: server.url });
      expect(await anonymous.enrol(code, keys)).toMatchObject({ federation: 'grid', owner: name, role });
      await expect(anonymous.enrol(code, await createKeyPair())).rejects.toMatchObject({ code: 'F3_INVITATION_USED' });
      clients.set(name, new CoordinatorClient({ url: server.url, keys }));
    }
  });

  it('neither trains nor predicts before it has what that takes', async () => {
    const train = () => operator.train('grid', { config: { epochs: 1 } });
    const embeddings = { 'owner-0': [1, 2, 3, 4] };
    const noModel = operator.predict('grid', { samples: [{ id: 's', embeddings }] });
    await expect(noModel).rejects.toMatchObject({ code: 'F3_MODEL_NONE' });
    await expect(train()).rejects.toMatchObject({
      code: 'F3_TRAINING_INPUT',
      message: 'federation grid: must have bundles of owners before it trains, got none',
    });
    await client('owner-0').upload('grid', 'bundle', encodeBundle(toyBundle(0, { samples: SAMPLES })));
    await expect(train()).rejects.toMatchObject({
      code: 'F3_TRAINING_INPUT',
      message: 'federation grid: must have labels of the label holder before it trains, got none',
    });
  });

  it('takes bundles and labels, each once and only from whom they are', async () => {
    for (const [i, owner] of OWNERS.entries()) {
      const stated = i === 2 ? { privacy: JSON.stringify({ bottleneck: 3 }) } : {};
      const bytes = encodeBundle({ ...toyBundle(i, { samples: SAMPLES }), ...stated });
      expect(await client(owner).upload('grid', 'bundle', bytes)).toMatchObject({ version: 1 });
      expect(await client(owner).upload('grid', 'bundle', bytes)).toMatchObject({ version: 1 });
    }
    const other = encodeBundle(toyBundle(1, { samples: SAMPLES, seed: 2 }));
    await expect(client('owner-0').upload('grid', 'bundle', other)).rejects.toMatchObject({
      code: 'F3_OWNER_MISMATCH',
    });
    const sick = toyBundle(0, { samples: SAMPLES });
    sick.embeddings[3] = Number.NaN;
    await expect(client('owner-0').upload('grid', 'bundle', encodeBundle(sick))).rejects.toMatchObject({
      code: 'F3_BUNDLE_NOT_FINITE',
    });
    const samples = Array.from({ length: SAMPLES }, (_, s) => toyId(s));
    const names = Array.from(toyLabels(SAMPLES, 2, 1), (label) => ['calm', 'storm'][label]);
    const labels = encodeArrow({ sample: textColumn(samples), label: textColumn(names) }, {});
    await expect(client('owner-0').upload('grid', 'labels', labels)).rejects.toMatchObject({
      code: 'F3_AUTH_FORBIDDEN',
    });
    expect(await client('holder').upload('grid', 'labels', labels)).toMatchObject({ kind: 'labels', version: 1 });
  });

  it('trains, tells of it, and predicts with whoever is present', async () => {
    const { id } = await operator.train('grid', { preset: 'graph', config: { epochs: 5, hidden: 4 }, split: 1 });
    const states: unknown[] = [];
    for await (const event of operator.trainingEvents('grid', id)) states.push(event.state);
    expect(states.at(-1)).toBe('done');
    expect(await operator.training('grid', id)).toMatchObject({ state: 'done', model: 1 });
    const bundle = toyBundle(0, { samples: SAMPLES });
    const embedding = Array.from(bundle.embeddings.subarray(0, bundle.width));
    const answer = await operator.predict('grid', { samples: [{ id: 's', embeddings: { 'owner-0': embedding } }] });
    expect(answer).toMatchObject({
      model: 1,
      classes: ['calm', 'storm'],
      predictions: [{ sample: 's', owners: ['owner-0'] }],
    });
    const huge = Object.fromEntries(OWNERS.map((owner) => [owner, embedding.map((value) => Math.sign(value) * 3e38)]));
    const spoiled = operator.predict('grid', { samples: [{ id: 's', embeddings: huge }] });
    await expect(spoiled).rejects.toMatchObject({ code: 'F3_PREDICTION_NOT_FINITE' });
  });

  it('speaks the Open Inference Protocol', async () => {
    const [one, two] = [0, 2].map((owner) => toyBundle(owner, { samples: SAMPLES }));
    const inputs = [one, two].map(({ owner, width, embeddings }) => ({
      name: owner,
      datatype: 'FP32',
      shape: [3, width],
      data: Array.from(embeddings.subarray(0, 3 * width)),
    }));
    const ask = (method: 'GET' | 'POST', path: string, body?: unknown) => operator.connection.json(method, path, body);
    expect(await ask('GET', '/v2/models/grid')).toMatchObject({
      inputs: [{ name: 'owner-0', shape: [-1, 4] }, {}, {}],
    });
    expect(await ask('GET', '/v2')).toMatchObject({ name: 'f3', extensions: ['binary_tensor_data'] });
    expect(await ask('GET', '/v2/models/grid/ready')).toEqual({ name: 'grid', ready: true });
    expect(await ask('GET', '/v2/models/grid/versions/1/ready')).toEqual({ name: 'grid', ready: true });
    await expect(ask('GET', '/v2/models/grid/versions/2')).rejects.toMatchObject({ code: 'F3_MODEL_UNKNOWN' });
    const refused = await (await fetch(`${server.url}/v2/models/grid`)).json();
    expect(refused).toMatchObject({ code: 'F3_AUTH_TOKEN', error: (refused as { message: string }).message });
    const answer = await ask('POST', '/v2/models/grid/infer', { id: 'r1', inputs });
    expect(await ask('POST', '/v2/models/grid/versions/1/infer', { id: 'r1', inputs })).toEqual(answer);
    const chosen = await ask('POST', '/v2/models/grid/infer', { inputs, outputs: [{ name: 'class' }] });
    expect(chosen).toMatchObject({ outputs: [(answer as { outputs: unknown[] }).outputs[1]] });
    expect(answer).toMatchObject({ model_name: 'grid', id: 'r1', outputs: [{ shape: [3, 2] }, { shape: [3] }] });
    const graphs = (choice: string) => ask('POST', '/v2/models/grid/infer', { inputs, parameters: { graphs: choice } });
    const [sampled, mean] = [await graphs('sampled'), await graphs('mean')];
    expect(sampled).toEqual({ ...(answer as object), id: undefined });
    expect(mean).not.toEqual(sampled);
    expect(mean).toMatchObject({ outputs: [{ shape: [3, 2] }, { shape: [3] }] });
    await expect(graphs('all')).rejects.toMatchObject({ code: 'F3_REQUEST' });
    const uneven = [inputs[0], { ...inputs[1], shape: [2, 4] }];
    await expect(ask('POST', '/v2/models/grid/infer', { inputs: uneven })).rejects.toMatchObject({
      code: 'F3_REQUEST',
    });
  });

  /** JSON and, behind it, tensors: by default as the Open Inference Protocol wants it. */
  const inferBinary = (
    inputs: object[],
    tensors: Float32Array[],
    header?: (length: number) => Record<string, string>,
  ) => {
    const json = Buffer.from(JSON.stringify({ inputs }));
    const parts = tensors.map(({ buffer, byteOffset, byteLength }) => Buffer.from(buffer, byteOffset, byteLength));
    const headers = header?.(json.length) ?? { 'inference-header-content-length': String(json.length) };
    return operator.connection.bytes('POST', '/v2/models/grid/infer', Buffer.concat([json, ...parts]), { headers });
  };
  const ROWS = 3;
  /** Of all owners: [sample, owner, width] */
  const everybody = () => {
    const bundles = OWNERS.map((_, owner) => toyBundle(owner, { samples: SAMPLES }).embeddings);
    return Float32Array.from({ length: ROWS * OWNERS.length * 4 }, (_, at) => {
      const [row, owner] = [Math.floor(at / (OWNERS.length * 4)), Math.floor(at / 4) % OWNERS.length];
      return bundles[owner][row * 4 + (at % 4)];
    });
  };

  it('answers bytes as it answers JSON, to the last bit', async () => {
    const ask = (inputs: object[]) => operator.connection.json('POST', '/v2/models/grid/infer', { inputs });
    const bundles = [0, 2].map((owner) => toyBundle(owner, { samples: SAMPLES }));
    const tensors = bundles.map(({ embeddings, width }) => embeddings.subarray(0, ROWS * width));
    const named = bundles.map(({ owner, width }) => ({ name: owner, datatype: 'FP32', shape: [ROWS, width] }));
    const binary = named.map((input, i) => ({ ...input, parameters: { binary_data_size: tensors[i].byteLength } }));
    const asJson = await ask(named.map((input, i) => ({ ...input, data: Array.from(tensors[i]) })));
    expect(await inferBinary(binary, tensors)).toEqual(asJson);
    expect(await inferBinary([binary[0], { ...named[1], data: Array.from(tensors[1]) }], [tensors[0]])).toEqual(asJson);

    const values = everybody();
    const whole = { name: 'embeddings', datatype: 'FP32', shape: [ROWS, OWNERS.length, 4] };
    const answer = (await inferBinary(
      [{ ...whole, parameters: { binary_data_size: values.byteLength } }],
      [values],
    )) as {
      outputs: { data: unknown[] }[];
    };
    const nested = Array.from({ length: ROWS }, (_, s) =>
      OWNERS.map((_, o) => Array.from(values.subarray((3 * s + o) * 4, (3 * s + o + 1) * 4))),
    );
    expect(await ask([{ ...whole, data: nested }])).toEqual(answer);
    expect(await ask([{ ...whole, data: Array.from(values) }])).toEqual(answer);
    const samples = nested.map((rows, s) => ({
      id: `s${s}`,
      embeddings: Object.fromEntries(OWNERS.map((owner, o) => [owner, rows[o]])),
    }));
    const { predictions } = (await operator.predict('grid', { samples })) as {
      predictions: { probabilities: number[]; class: string }[];
    };
    expect(answer.outputs[0].data).toEqual(predictions.flatMap(({ probabilities }) => probabilities));
    expect(answer.outputs[1].data).toEqual(predictions.map((prediction) => prediction.class));
  });

  it('refuses bytes that are not what their header says, each with a code', async () => {
    const values = everybody();
    const input = { name: 'embeddings', datatype: 'FP32', shape: [ROWS, 3, 4] };
    const sized = { ...input, parameters: { binary_data_size: values.byteLength } };
    const withLength = (change: (length: number) => string) => (length: number) => ({
      'inference-header-content-length': change(length),
    });
    const refused: [string, () => Promise<unknown>][] = [
      ['F3_REQUEST', () => inferBinary([sized], [values], () => ({}))],
      [
        'F3_REQUEST',
        () =>
          inferBinary(
            [sized],
            [values],
            withLength((length) => String(length - 1)),
          ),
      ],
      [
        'F3_REQUEST',
        () =>
          inferBinary(
            [sized],
            [values],
            withLength((length) => String(length + 4)),
          ),
      ],
      [
        'F3_REQUEST',
        () =>
          inferBinary(
            [sized],
            [values],
            withLength(() => '1000000'),
          ),
      ],
      [
        'F3_REQUEST',
        () =>
          inferBinary(
            [sized],
            [values],
            withLength(() => '-1'),
          ),
      ],
      [
        'F3_REQUEST',
        () =>
          inferBinary(
            [sized],
            [values],
            withLength(() => '0'),
          ),
      ],
      ['F3_REQUEST', () => inferBinary([sized], [values.subarray(1)])],
      ['F3_REQUEST', () => inferBinary([sized], [values, values])],
      ['F3_REQUEST', () => inferBinary([input], [values])],
      ['F3_REQUEST', () => inferBinary([{ ...sized, data: [1] }], [values])],
      ['F3_REQUEST', () => inferBinary([{ ...sized, shape: [ROWS, 3, 5] }], [values])],
      ['F3_REQUEST', () => inferBinary([{ ...sized, shape: [2 ** 40, 2 ** 40, 2 ** 40] }], [values])],
      ['F3_REQUEST', () => inferBinary([{ ...sized, shape: [36] }], [values])],
      ['F3_REQUEST', () => inferBinary([{ ...sized, name: 'owner-0' }], [values])],
      ['F3_REQUEST', () => inferBinary([{ ...sized, datatype: 'FP64' }], [values])],
      ['F3_REQUEST', () => inferBinary([{ ...sized, parameters: { binary_data_size: -4 } }], [values])],
      ['F3_REQUEST', () => inferBinary([{ ...input, data: [['1', 2]] }], [])],
      ['F3_FUSE_OWNER', () => inferBinary([{ ...sized, shape: [9, 1, 4] }], [values])],
      ['F3_FUSE_WIDTH', () => inferBinary([{ ...sized, shape: [4, 3, 3] }], [values])],
      ['F3_BUNDLE_NOT_FINITE', () => inferBinary([sized], [values.with(17, Number.NaN)])],
      ['F3_PREDICTION_NOT_FINITE', () => inferBinary([sized], [values.map((value) => Math.sign(value) * 3e38)])],
    ];
    for (const [code, ask] of refused) await expect(ask()).rejects.toMatchObject({ code });
  });

  it('lets owners meet at a time that each writes in its own way, and answers each in its own', async () => {
    const forms = ['2012-03-01 07:00:00+00:00', '2012-03-01T07:00Z', '2012-03-01T08:00:00.000+01:00'];
    const embedding = Array.from(toyBundle(0, { samples: SAMPLES }).embeddings.subarray(0, 4));
    const answers = await Promise.all(
      OWNERS.map((owner, i) =>
        client(owner).live('grid', forms[i % forms.length], { embedding, deadlineMs: PATIENCE_MS }),
      ),
    );
    for (const answer of answers) expect(answer.owners).toEqual(OWNERS);
    expect(answers.map(({ sample }) => sample)).toEqual(OWNERS.map((_, i) => forms[i % forms.length]));
  });

  it('answers live when all are there, a quorum is, or the deadline has passed', async () => {
    const embedding = Array.from(toyBundle(0, { samples: SAMPLES }).embeddings.subarray(0, 4));
    const all = await Promise.all(
      OWNERS.map((owner) => client(owner).live('grid', 'x', { embedding, deadlineMs: PATIENCE_MS })),
    );
    for (const answer of all) expect(answer).toEqual({ ...all[0], owners: OWNERS });
    expect(await client('owner-1').live('grid', 'y', { embedding, quorum: 1 })).toMatchObject({ owners: ['owner-1'] });
    expect(await client('owner-2').live('grid', 'z', { embedding, deadlineMs: 50 })).toMatchObject({
      owners: ['owner-2'],
    });
  });

  it('shows owners nothing of each other', async () => {
    const status = await client('owner-1').status('grid');
    expect(status.owners.map(({ owner }) => owner)).toEqual(['owner-1']);
    const privacy = {
      noise: null,
      bottleneck: 3,
      answers: null,
      shield: null,
      pseudonyms: false,
      votes: true,
      shares: false,
    };
    expect((await operator.status('grid')).owners).toMatchObject([
      { owner: 'owner-0', privacy: { ...privacy, bottleneck: null } },
      { owner: 'owner-1' },
      { owner: 'owner-2', privacy, bundle: { privacy } },
    ]);
    expect(await client('owner-2').bundles('grid')).toMatchObject([{ privacy }]);
    expect(status).not.toHaveProperty('models');
    await expect(client('owner-1').models('grid')).rejects.toMatchObject({ code: 'F3_AUTH_FORBIDDEN' });
    await expect(client('owner-1').audit('grid')).rejects.toMatchObject({ code: 'F3_AUTH_FORBIDDEN' });
    await expect(client('owner-1').status('other')).rejects.toMatchObject({ code: 'F3_AUTH_FORBIDDEN' });
  });

  it('refuses replayed, tampered and unknown requests', async () => {
    const keys = await loadKeyPair(server.operatorKey);
    const path = '/v1/federations/grid';
    const token = await signRequest(keys, { method: 'GET', path, body: new Uint8Array() });
    const ask = (url: string, bearer: string) =>
      fetch(`${server.url}${url}`, { headers: { authorization: `Bearer ${bearer}` } });
    expect((await ask(path, token)).status).toBe(200);
    expect(await (await ask(path, token)).json()).toMatchObject({ code: 'F3_AUTH_REPLAY' });
    expect(await (await ask(`${path}/models`, token)).json()).toMatchObject({ code: 'F3_AUTH_TAMPERED' });
    const stranger = await signRequest(await createKeyPair(), { method: 'GET', path, body: new Uint8Array() });
    expect(await (await ask(path, stranger)).json()).toMatchObject({ code: 'F3_AUTH_UNKNOWN' });
    expect(await (await fetch(`${server.url}${path}`)).json()).toMatchObject({ code: 'F3_AUTH_TOKEN' });
    expect((await fetch(`${server.url}/nowhere`)).status).toBe(404);
  });

  it('lets what was replaced count once more, if it is asked to', async () => {
    const [first, second] = [0, 5].map((seed) =>
      encodeBundle(toyBundle(1, { samples: SAMPLES, ...(seed && { seed }) })),
    );
    const push = (bytes: Uint8Array, again = false) =>
      client('owner-1').upload('grid', 'bundle', bytes, undefined, { again });
    expect(await push(second)).toMatchObject({ version: 2, newest: 2 });
    expect(await push(first)).toMatchObject({ version: 1, newest: 2, sent: 0 });
    expect(await push(first, true)).toMatchObject({ version: 3, newest: 3, sent: 0 });
    expect(await push(first, true)).toMatchObject({ version: 3, newest: 3, sent: 0 });
  });

  it('keeps old versions, rolls back, and revokes', async () => {
    const again = encodeBundle(toyBundle(2, { samples: SAMPLES, seed: 5 }));
    expect(await client('owner-2').upload('grid', 'bundle', again)).toMatchObject({
      version: 2,
      sha256: createHash('sha256').update(again).digest('hex'),
    });
    const { id } = await operator.train('grid', {
      config: { epochs: 2, hidden: 4 },
      split: 1,
      promote: 'always',
    });
    for await (const _ of operator.trainingEvents('grid', id));
    expect((await operator.models('grid')).map(({ version, state }) => [version, state])).toEqual([
      [1, 'former'],
      [2, 'active'],
    ]);
    await operator.activate('grid', 1);
    expect(await operator.status('grid')).toMatchObject({ activeModel: 1 });
    await operator.revoke('grid', 'owner-2');
    await expect(client('owner-2').status('grid')).rejects.toMatchObject({ code: 'F3_AUTH_REVOKED' });
    const actions = (await operator.audit('grid')).map(({ action }) => action);
    expect(actions).toEqual(
      expect.arrayContaining(['federation.created', 'bundle.received', 'model.trained', 'member.revoked']),
    );
  });

  it('is watched: health, metrics, its routes described', async () => {
    const get = async (path: string) => (await fetch(`${server.url}${path}`)).text();
    expect(await get('/healthz')).toBe('{"status":"ok"}');
    expect(await get('/readyz')).toBe('{"ready":true}');
    expect(await get('/metrics')).toContain('f3_requests_total');
    expect(JSON.parse(await get('/openapi.json')).paths).toHaveProperty('/v1/enrol');
    const page = await get('/docs');
    expect(page).toContain('<b>POST</b> /v1/enrol');
    for (const note of ['Becomes a member: a one-time code', 'Who: operator, label holder', 'F3_TRAINING_INPUT'])
      expect(page).toContain(note);
  });
});
