// [wire] A coordinator's routes as methods, for owners, label holders and operators.
import { randomUUID } from 'node:crypto';
import type { AuditKey } from '../audit/audit-file.ts';
import type { AuditHead } from '../audit/audit-head.ts';
import type { Coordinates } from '../coordinates.ts';
import type { KeyPair } from '../identity/key-pair.ts';
import type { LabelAccess, LabelGrant, LabelRules } from '../label-access.ts';
import type { ListedOperator, MemberKeys } from '../member-keys.ts';
import type {
  AnswerObject,
  AuditEntry,
  Departure,
  Enrolment,
  FederationStatus,
  HeldBundle,
  Invitation,
  IssuedToken,
  LeaveRequest,
  ListedFederation,
  ListedModel,
  ListedToken,
  LiveRequest,
  MadeBackup,
  ModelDetails,
  ModelGraph,
  NewShares,
  OpenInvitation,
  OpenUpload,
  PredictionAnswer,
  PredictionRequest,
  Role,
  StoredUpload,
  TrainingEvent,
  TrainingRequest,
  TrainingStatus,
  UploadKind,
  UploadState,
} from '../messages.ts';
import type { QuotaName, QuotaUsage } from '../quotas.ts';
import { Connection, type ConnectionOptions, type RequestOptions } from './connection.ts';
import { auditPath, pathOf } from './federation-paths.ts';
import { listOf, readAnswer } from './read-answer.ts';
import { trainingEvents } from './training-events.ts';
import { type UploadOptions, type UploadProgress, upload } from './upload.ts';

/** Milliseconds beyond a live deadline, for the way there and back. */
const TRAVEL_MS = 30_000;
/** Milliseconds between two questions about a check that is under way. */
const CHECKING_MS = 1000;

const ACCESS = { rules: 'group of fields', used: 'count', grants: 'list' } as const;
/** The longest that a backup may take. */
const BACKUP_MS = 3_600_000;

/** A coordinator's routes as methods, for owners, label holders and operators. */
export class CoordinatorClient {
  /** What sends the requests. */
  readonly connection: Connection;

  constructor(options: ConnectionOptions) {
    this.connection = new Connection(options);
  }

  /** Needs no token, because the code is the proof. Sends the public key only. */
  async enrol(code: string, { publicKey }: Pick<KeyPair, 'publicKey'>): Promise<Enrolment> {
    const answer = await this.connection.json('POST', '/v1/enrol', { code, publicKey });
    return readAnswer(answer, { federation: 'text or null', owner: 'text', role: 'text', keyId: 'text' }, 'enrolment');
  }

  /** Tells whose key this is, as the coordinator has it. */
  async me(): Promise<Enrolment & { joined?: string }> {
    const answer = await this.connection.json('GET', '/v1/me');
    const fields = { federation: 'text or null', owner: 'text', role: 'text', keyId: 'text' } as const;
    return readAnswer(answer, fields, 'the question who we are');
  }

  /** A code that opens the dashboard in our name, once. The link is the coordinator's address, `/#code=` and the code. */
  async sessionCode(): Promise<{ code: string; expires: string }> {
    const answer = await this.connection.json('POST', '/v1/sessions/codes');
    return readAnswer(answer, { code: 'text', expires: 'text' }, 'code of the dashboard');
  }

  /** Our keys: the one that signs, and former ones. */
  async keys(): Promise<MemberKeys> {
    const answer = await this.connection.json('GET', '/v1/me/keys');
    return readAnswer(answer, { signedBy: 'text', former: 'list' }, 'the question for our keys');
  }

  /** Replaces our key, which must sign this request, by another one. */
  async rotateKey(offered: {
    publicKey: KeyPair['publicKey'];
    proof: string;
    overlapHours?: number;
  }): Promise<{ keyId: string; former: string; ends: string }> {
    const answer = await this.connection.json('POST', '/v1/me/keys', offered);
    return readAnswer(answer, { keyId: 'text', former: 'text', ends: 'text' }, 'new key');
  }

  /** Refuses a former key of ours from now on. */
  async revokeKey(keyId: string): Promise<AnswerObject> {
    return (await this.connection.json('POST', `/v1/me/keys/${encodeURIComponent(keyId)}/revoke`)) as AnswerObject;
  }

  /** Who operates the whole coordinator. */
  async operators(): Promise<ListedOperator[]> {
    return listOf(await this.connection.json('GET', '/v1/operators'), 'operators', 'operators');
  }

  /** Refuses the keys of an operator of the whole coordinator from now on. */
  async revokeOperator(owner: string): Promise<AnswerObject> {
    return (await this.connection.json('POST', `/v1/operators/${encodeURIComponent(owner)}/revoke`)) as AnswerObject;
  }

  /** Makes a federation. With `classes` the label holder may use no others, with `shares` entities hold the embeddings. */
  async createFederation(name: string, classes?: readonly string[], shares?: NewShares): Promise<AnswerObject> {
    const request = { name, ...(classes && { classes }), ...shares };
    return (await this.connection.json('POST', '/v1/federations', request, idempotent())) as AnswerObject;
  }

  /** The federations that the caller may see. */
  async federations(): Promise<ListedFederation[]> {
    return listOf(await this.connection.json('GET', '/v1/federations'), 'federations', 'federations');
  }

  /** Owners, labels, trainings and models of a federation, as far as the caller may see them. */
  async status(federation: string): Promise<FederationStatus> {
    const answer = await this.connection.json('GET', pathOf(federation));
    return readAnswer(answer, { name: 'text', owners: 'list' }, 'status');
  }

  /** Makes a code with which somebody joins, once, within the given hours. */
  async invite(federation: string, invited: { owner: string; role: Role; hours?: number }): Promise<Invitation> {
    const answer = await this.connection.json('POST', pathOf(federation, 'invitations'), invited, idempotent());
    return readAnswer(answer, { code: 'text', expires: 'text' }, 'invitation');
  }

  /** The invitations that nobody has used. */
  async invitations(federation: string): Promise<OpenInvitation[]> {
    const answer = await this.connection.json('GET', pathOf(federation, 'invitations'));
    return listOf(answer, 'invitations', 'invitations');
  }

  /** Takes an invitation back that nobody has used. */
  async cancelInvitation(federation: string, id: string): Promise<AnswerObject> {
    return (await this.connection.json('POST', pathOf(federation, 'invitations', id, 'cancel'))) as AnswerObject;
  }

  /** Shuts a member's key out, from now on. */
  async revoke(federation: string, owner: string): Promise<AnswerObject> {
    const path = pathOf(federation, 'members', owner, 'revoke');
    return (await this.connection.json('POST', path, undefined, idempotent())) as AnswerObject;
  }

  /** Takes us out of the federation: our key is refused from now on. */
  async leave(federation: string, request: LeaveRequest = {}): Promise<Departure> {
    const answer = await this.connection.json('POST', pathOf(federation, 'leave'), request);
    return readAnswer(answer, { owner: 'text', left: 'text', models: 'list', trainings: 'list' }, 'leaving');
  }

  /** Tells where we are, for the map of operators and label holders; null takes it back. */
  async tellCoordinates(federation: string, place: Coordinates | null): Promise<AnswerObject> {
    const path = pathOf(federation, 'coordinates');
    const answer = place ? this.connection.json('PUT', path, place) : this.connection.json('DELETE', path);
    return (await answer) as AnswerObject;
  }

  /** Our own versions; an operator gets those of all owners, or of one. */
  async bundles(federation: string, owner?: string): Promise<HeldBundle[]> {
    const query = owner === undefined ? '' : `?owner=${encodeURIComponent(owner)}`;
    return listOf(await this.connection.json('GET', `${pathOf(federation, 'bundles')}${query}`), 'bundles', 'bundles');
  }

  /** With `despiteModels` a bundle is deleted even if models learned from it. */
  async deleteBundle(
    federation: string,
    owner: string,
    version: number,
    { despiteModels = false } = {},
  ): Promise<AnswerObject> {
    const path = pathOf(federation, 'bundles', owner, String(version));
    return (await this.connection.json('DELETE', `${path}${despiteModels ? '?despite=models' : ''}`)) as AnswerObject;
  }

  /** Our own uploads that are not complete. */
  async openUploads(federation: string): Promise<OpenUpload[]> {
    return listOf(await this.connection.json('GET', pathOf(federation, 'uploads')), 'uploads', 'uploads');
  }

  /** A page of the audit log of a federation, or of the server's own for null; the oldest first, unless told otherwise. */
  async audit(
    federation: string | null,
    page: { after?: number; before?: number | undefined; order?: 'oldest' | 'newest'; limit?: number } = {},
  ): Promise<AuditEntry[]> {
    const { after = 0, before, order = 'oldest', limit = 100 } = page;
    const backwards = `${order === 'newest' ? '&order=newest' : ''}${before === undefined ? '' : `&before=${before}`}`;
    const path = `${auditPath(federation)}?after=${after}&limit=${limit}${backwards}`;
    const answer = await this.connection.json('GET', path);
    return listOf(answer, 'entries', 'audit');
  }

  /** What the label holder allows others to do with its labels, and how often it was done. */
  async labelAccess(federation: string): Promise<LabelAccess> {
    const answer = await this.connection.json('GET', pathOf(federation, 'labels', 'access'));
    return readAnswer(answer, ACCESS, 'label access');
  }

  /** Sets what we, as label holder, ask of trainings on our labels. */
  async setLabelRules(federation: string, rules: Partial<LabelRules>): Promise<LabelAccess> {
    const answer = await this.connection.json('PUT', pathOf(federation, 'labels', 'rules'), rules);
    return readAnswer(answer, ACCESS, 'label access');
  }

  /** Allows a member trainings of its own on our labels. */
  async grantLabels(
    federation: string,
    member: string,
    grant: { trainings: number } & Partial<LabelGrant>,
  ): Promise<LabelAccess> {
    const answer = await this.connection.json('PUT', pathOf(federation, 'labels', 'grants', member), grant);
    return readAnswer(answer, ACCESS, 'label access');
  }

  /** Takes a grant back. */
  async revokeLabels(federation: string, member: string): Promise<LabelAccess> {
    const answer = await this.connection.json('DELETE', pathOf(federation, 'labels', 'grants', member));
    return readAnswer(answer, ACCESS, 'label access');
  }

  /** What the federation has taken of each of its quotas. */
  async quotas(federation: string): Promise<QuotaUsage[]> {
    return listOf(await this.connection.json('GET', pathOf(federation, 'quotas')), 'quotas', 'quotas');
  }

  /** Sets quotas of a federation; null puts one back to the coordinator's. */
  async setQuotas(federation: string, changes: Partial<Record<QuotaName, number | null>>): Promise<QuotaUsage[]> {
    return listOf(await this.connection.json('PUT', pathOf(federation, 'quotas'), changes), 'quotas', 'quotas');
  }

  /** Has the coordinator write a backup into its own folder. */
  async backup(): Promise<MadeBackup> {
    const answer = await this.connection.json('POST', '/v1/backups', undefined, { timeout: BACKUP_MS, attempts: 1 });
    return readAnswer(answer, { file: 'text', bytes: 'count', sha256: 'text' }, 'the backup');
  }

  /** A page of the signed heads of an audit log, by the number of entries that they cover. */
  async auditHeads(federation: string | null, { after = 0, limit = 100 } = {}): Promise<AuditHead[]> {
    const answer = await this.connection.json('GET', `${auditPath(federation)}/heads?after=${after}&limit=${limit}`);
    return listOf(answer, 'heads', 'audit heads');
  }

  /** A head over all entries that are there. Whoever keeps it can prove later that they were. */
  async auditHead(federation: string | null): Promise<AuditHead> {
    const answer = await this.connection.json('GET', `${auditPath(federation)}/head`);
    return readAnswer(answer, { count: 'count', hash: 'text', signature: 'text' }, 'the audit head');
  }

  /** The coordinator's public keys for signed heads. */
  async auditKeys(): Promise<AuditKey[]> {
    return listOf(await this.connection.json('GET', '/v1/audit/keys'), 'keys', 'audit keys');
  }

  /** Announces an upload, or finds the one that was announced with the same hash before. */
  async openUpload(
    federation: string,
    opened: { kind: UploadKind; size: number; sha256: string; shares?: boolean },
  ): Promise<UploadState> {
    const answer = await this.connection.json('POST', pathOf(federation, 'uploads'), opened);
    return readAnswer(answer, { id: 'text', received: 'count', state: 'text' }, 'upload');
  }

  /** How much of an upload has arrived. */
  async uploadState(federation: string, id: string): Promise<UploadState> {
    const answer = await this.connection.json('GET', pathOf(federation, 'uploads', id));
    return readAnswer(answer, { received: 'count', state: 'text' }, 'upload');
  }

  /** Makes one attempt; after a failure, ask what arrived. */
  async sendChunk(federation: string, id: string, offset: number, bytes: Uint8Array): Promise<{ received: number }> {
    const path = `${pathOf(federation, 'uploads', id)}?offset=${offset}`;
    const answer = await this.connection.bytes('PUT', path, bytes, { attempts: 1 });
    return readAnswer(answer, { received: 'count' }, 'chunk');
  }

  /** Has the coordinator check what arrived; from then on it counts. */
  async completeUpload(
    federation: string,
    id: string,
    { newWidth = false, again = false }: UploadOptions = {},
  ): Promise<StoredUpload> {
    const query = [...(newWidth ? ['width=new'] : []), ...(again ? ['again=yes'] : [])].join('&');
    const path = `${pathOf(federation, 'uploads', id, 'complete')}${query && `?${query}`}`;
    const { clock } = this.connection;
    let answer = await this.connection.json('POST', path);
    // A check that takes long is answered as under way, and is asked about again until it has ended.
    while ((answer as { state?: unknown } | null)?.state === 'checking') {
      await clock.sleep(CHECKING_MS);
      answer = await this.connection.json('POST', path);
    }
    const fields = { kind: 'text', version: 'count', newest: 'count', sha256: 'text' } as const;
    return readAnswer(answer, fields, 'completed upload');
  }

  /** Sends a bundle or labels in chunks, goes on where it stopped, and counts once however often it is called. */
  upload(
    federation: string,
    kind: UploadKind,
    bytes: Uint8Array,
    onProgress?: UploadProgress,
    options: UploadOptions = {},
  ): Promise<StoredUpload & { sent: number }> {
    return upload(this, federation, kind, bytes, onProgress, options);
  }

  /** `workers` tells how many processes take trainings at this moment. */
  async train(federation: string, request: TrainingRequest): Promise<{ id: string; workers?: number }> {
    const answer = await this.connection.json('POST', pathOf(federation, 'trainings'), request, idempotent());
    return readAnswer(answer, { id: 'text' }, 'training');
  }

  /** The state of a training. */
  async training(federation: string, id: string): Promise<TrainingStatus> {
    const answer = await this.connection.json('GET', pathOf(federation, 'trainings', id));
    return readAnswer(answer, { id: 'text', state: 'text' }, 'training');
  }

  /** Gives epochs and states until the training is over, whatever happens to the line. */
  trainingEvents(federation: string, id: string, signal?: AbortSignal): AsyncGenerator<TrainingEvent> {
    return trainingEvents(this.connection, pathOf(federation, 'trainings', id, 'events'), signal);
  }

  /** Ends a training before it is done. */
  async cancelTraining(federation: string, id: string): Promise<AnswerObject> {
    return (await this.connection.json('POST', pathOf(federation, 'trainings', id, 'cancel'))) as AnswerObject;
  }

  /** The models of a federation. */
  async models(federation: string): Promise<ListedModel[]> {
    return listOf(await this.connection.json('GET', pathOf(federation, 'models')), 'models', 'models');
  }

  /** The model's card, and where it comes from. */
  async model(federation: string, version: number): Promise<ModelDetails> {
    const answer = await this.connection.json('GET', pathOf(federation, 'models', String(version)));
    const parts = { model: 'group of fields', config: 'group of fields', owners: 'list', classes: 'list' } as const;
    return readAnswer(answer, parts, 'model');
  }

  /** The strongest edges of the model's graph between owners; `edges`: how many, at most `MOST_EDGES`. */
  async modelGraph(federation: string, version: number, { edges = 1000 } = {}): Promise<ModelGraph> {
    const path = `${pathOf(federation, 'models', String(version), 'graph')}?edges=${edges}`;
    const fields = { model: 'count', kind: 'text', owners: 'list', pairs: 'count', edges: 'list' } as const;
    return readAnswer(await this.connection.json('GET', path), fields, 'graph');
  }

  /** Makes a model the one that answers. */
  async activate(federation: string, version: number): Promise<AnswerObject> {
    return (await this.connection.json(
      'POST',
      pathOf(federation, 'models', String(version), 'activate'),
    )) as AnswerObject;
  }

  /** Makes a static token that may predict in this federation. With `days` null it never expires. */
  async createToken(federation: string, wanted: { name: string; days?: number | null }): Promise<IssuedToken> {
    const answer = await this.connection.json('POST', pathOf(federation, 'tokens'), wanted, idempotent());
    return readAnswer(answer, { id: 'text', token: 'text', expires: 'text or null' }, 'token');
  }

  /** The federation's inference tokens that are not revoked. */
  async tokens(federation: string): Promise<ListedToken[]> {
    return listOf(await this.connection.json('GET', pathOf(federation, 'tokens')), 'tokens', 'tokens');
  }

  /** Refuses an inference token from now on. */
  async revokeToken(federation: string, id: string): Promise<AnswerObject> {
    return (await this.connection.json('POST', pathOf(federation, 'tokens', id, 'revoke'))) as AnswerObject;
  }

  /** Predicts at most `MOST_SAMPLES` samples, each with whoever is present; `predictSamples` takes any number. */
  async predict(federation: string, request: PredictionRequest): Promise<PredictionAnswer> {
    const answer = await this.connection.json('POST', pathOf(federation, 'predict'), request);
    return readAnswer(answer, { model: 'count', classes: 'list', predictions: 'list' }, 'prediction');
  }

  /** `table` is an Arrow stream with the columns sample, owner, embedding. */
  async predictArrow(federation: string, table: Uint8Array): Promise<AnswerObject> {
    const type = 'application/vnd.apache.arrow.stream';
    return (await this.connection.bytes('POST', pathOf(federation, 'predict'), table, { type })) as AnswerObject;
  }

  /** Answers once all owners have sent this sample, or the quorum, or the deadline has passed. */
  async live(federation: string, sample: string, request: LiveRequest): Promise<AnswerObject> {
    const path = pathOf(federation, 'live', sample);
    const limit = request.deadlineMs === undefined ? {} : { timeout: request.deadlineMs + TRAVEL_MS };
    return (await this.connection.json('POST', path, request, limit)) as AnswerObject;
  }
}

/** However often such a request is sent, it counts once: the coordinator knows it by its key. */
const idempotent = (): RequestOptions => ({ headers: { 'idempotency-key': randomUUID() } });
