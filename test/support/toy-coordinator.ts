// A coordinator in memory for tests of the client: it keeps the contract of the routes, with faults on demand.
import { randomBytes } from 'node:crypto';
import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { TlsOptions } from 'node:tls';
import type { JWK } from 'jose';
import { ERRORS, type ErrorCode, F3Error } from '../../src/errors.ts';
import { bundleHash } from '../../src/exchange/bundle/bundle.ts';
import { readPublicKey } from '../../src/exchange/identity/key-pair.ts';
import { bodyHash, readKeyId, verifyRequest } from '../../src/exchange/identity/request-token.ts';
import type { Role } from '../../src/exchange/messages.ts';

interface Member {
  federation: string | null;
  owner: string;
  role: Role;
  publicKey: JWK;
}

interface Upload {
  kind: string;
  size: number;
  sha256: string;
  bytes: Buffer;
  state: 'open' | 'complete';
  version: number;
}

export interface Seen {
  method: string;
  /** The path with its query. */
  path: string;
  body: Buffer;
  token: string | undefined;
}

/** What happens to a request: nothing of it arrives, its answer is lost, or it gets this answer. */
export type Fault = 'drop' | 'lose answer' | { status: number; body: unknown; headers?: Record<string, string> };

export class ToyCoordinator {
  readonly seen: Seen[] = [];
  readonly members = new Map<string, Member>();
  readonly codes = new Map<string, Omit<Member, 'publicKey'>>();
  readonly uploads = new Map<string, Upload>();
  /** Called before a request is served, to say what happens to it. */
  fault: (request: Seen) => Fault | undefined = () => undefined;
  /** Answers instead of the routes here. */
  route: (request: Seen, member: Member | undefined) => unknown = () => undefined;
  readonly #used = new Set<string>();
  readonly #server: Server;

  constructor(tls?: TlsOptions) {
    const listener: RequestListener = (request, response) => void this.#serve(request, response);
    this.#server = tls ? createTlsServer(tls, listener) : createServer(listener);
  }

  async listen(host = '127.0.0.1'): Promise<number> {
    await new Promise<void>((resolve) => this.#server.listen(0, host, resolve));
    return (this.#server.address() as AddressInfo).port;
  }

  close(): void {
    this.#server.close();
    this.#server.closeAllConnections();
  }

  /** Makes the code for somebody who is to become a member. */
  invite(owner: string, role: Role = 'owner', federation: string | null = 'grid'): string {
    const code = randomBytes(9).toString('base64url');
    this.codes.set(code, { federation, owner, role });
    return code;
  }

  paths(method: string): string[] {
    return this.seen.filter((request) => request.method === method).map(({ path }) => path);
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const { method = '', url: path = '', headers } = request;
    const seen = { method, path, body: Buffer.concat(chunks), token: headers.authorization?.slice('Bearer '.length) };
    this.seen.push(seen);
    const fault = this.fault(seen);
    if (fault === 'drop') return void request.socket.destroy();
    if (typeof fault === 'object') return send(response, fault.status, fault.body, fault.headers);
    const [status, answer] = await this.#answer(seen).then(
      (value): [number, unknown] => [200, value],
      (error): [number, unknown] => {
        const code: ErrorCode = error instanceof F3Error ? error.code : 'F3_ARGUMENT';
        return [ERRORS[code].status, { code, message: error.message }];
      },
    );
    if (fault === 'lose answer') return void request.socket.destroy();
    if (answer instanceof Events) {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.end(answer.text);
    } else send(response, status, answer);
  }

  async #answer(seen: Seen): Promise<unknown> {
    const member = seen.path === '/v1/enrol' ? undefined : await this.#authenticate(seen);
    return (await this.route(seen, member)) ?? this.#routes(seen, member);
  }

  async #authenticate({ method, path, body, token = '' }: Seen): Promise<Member> {
    const member = this.members.get(readKeyId(token));
    if (!member) throw new F3Error('F3_AUTH_TOKEN', 'request token: must be of a member, got a stranger');
    const { jti } = await verifyRequest(token, member.publicKey, { method, path, bodyHash: bodyHash(body) });
    if (this.#used.has(jti)) throw new F3Error('F3_AUTH_TOKEN', 'request token: must be used once');
    this.#used.add(jti);
    return member;
  }

  #routes({ method, path, body }: Seen, member: Member | undefined): unknown {
    const { pathname, searchParams } = new URL(path, 'http://x');
    const json = () => JSON.parse(body.toString('utf8'));
    if (pathname === '/v1/enrol') return this.#enrol(json());
    if (pathname === '/v1/me') return this.#me(member);
    const [kind, id, act] = pathname.split('/').slice(4).map(decodeURIComponent); // behind /v1/federations/NAME
    if (kind === 'uploads' && id === undefined) return this.#openUpload(json());
    if (kind === 'uploads') return this.#upload(id, method, act, Number(searchParams.get('offset')), body);
    if (kind === 'shares') throw new F3Error('F3_SHARES_CHARTER', 'federation: must compute on shares, got none');
    if (kind === 'live') return { class: 'swing', probabilities: [0.25, 0.75], present: [member?.owner] };
    throw new F3Error('F3_ARGUMENT', `no route ${method} ${path}`);
  }

  async #enrol({ code, publicKey: sent }: { code: string; publicKey: unknown }): Promise<unknown> {
    const invited = this.codes.get(code);
    if (!invited) throw new F3Error('F3_AUTH_TOKEN', 'invitation: must be known and unused, got another');
    const { publicKey, id } = await readPublicKey(sent);
    this.codes.delete(code);
    this.members.set(id, { ...invited, publicKey });
    return { ...invited, keyId: id };
  }

  #me(member: Member | undefined): unknown {
    const [keyId] = [...this.members].find(([, one]) => one === member) ?? [];
    const { federation, owner, role } = member ?? {};
    return { federation, owner, role, keyId };
  }

  #openUpload({ kind, size, sha256 }: { kind: string; size: number; sha256: string }): unknown {
    const id = `${kind}-${sha256.slice(0, 8)}`;
    if (!this.uploads.has(id)) {
      this.uploads.set(id, { kind, size, sha256, bytes: Buffer.alloc(0), state: 'open', version: 0 });
    }
    return this.#stateOf(id);
  }

  #upload(id: string, method: string, act: string | undefined, offset: number, body: Buffer): unknown {
    const upload = this.uploads.get(id);
    if (!upload) throw new F3Error('F3_ARGUMENT', `no upload ${id}`);
    if (method === 'GET') return this.#stateOf(id);
    if (act === 'complete') {
      if (bundleHash(upload.bytes) !== upload.sha256)
        throw new F3Error('F3_UPLOAD_HASH', `upload ${id}: wrong SHA-256`);
      if (upload.state === 'open') Object.assign(upload, { state: 'complete', version: 1 });
      return { kind: upload.kind, version: upload.version, newest: upload.version, sha256: upload.sha256 };
    }
    if (offset !== upload.bytes.length) throw new F3Error('F3_UPLOAD_OFFSET', `upload ${id}: wrong offset ${offset}`);
    upload.bytes = Buffer.concat([upload.bytes, body]);
    return { received: upload.bytes.length };
  }

  #stateOf(id: string): unknown {
    const upload = this.uploads.get(id);
    return { id, received: upload?.bytes.length, state: upload?.state };
  }
}

/** A whole event stream with which `route` may answer. */
export class Events {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

function send(response: ServerResponse, status: number, body: unknown, headers: Record<string, string> = {}): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers });
  response.end(typeof body === 'string' ? body : JSON.stringify(body));
}
