// A listener between an entity and its callers who has everybody's keys, so that TLS hides nothing from it: it keeps what goes either way.
import type { AddressInfo } from 'node:net';
import { connect, createServer, type Server, type TLSSocket } from 'node:tls';
import { type KeyPair, readPublicKey } from '../../src/exchange/identity/key-pair.ts';
import { type Frame, FrameReader } from '../../src/shares/link/frames.ts';
import { type CertifiedKey, selfSignedCertificate } from '../../src/shares/link/self-signed-certificate.ts';

/** A frame, by the name of who called and whether the caller or the entity sent it. */
export interface HeardFrame extends Frame {
  caller: string;
  by: 'caller' | 'entity';
}

export class OpenTap {
  readonly frames: HeardFrame[] = [];
  readonly #callers = new Map<string, { name: string; certified: CertifiedKey }>();
  readonly #sockets = new Set<TLSSocket>();
  readonly #server: Server;

  /** It stands in for the entity with these keys, which listens on `port`. */
  constructor(keys: KeyPair, port: number) {
    const options = { requestCert: true, rejectUnauthorized: false, minVersion: 'TLSv1.3' } as const;
    this.#server = createServer({ ...selfSignedCertificate(keys), ...options }, (line) => void this.#pass(line, port));
  }

  /** Whoever calls with this key is let through under its name. */
  know(name: string, keys: KeyPair): void {
    this.#callers.set(keys.id, { name, certified: selfSignedCertificate(keys) });
  }

  async listen(): Promise<number> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
    return (this.#server.address() as AddressInfo).port;
  }

  close(): void {
    this.#server.close();
    for (const socket of this.#sockets) socket.destroy();
  }

  async #pass(line: TLSSocket, port: number): Promise<void> {
    line.pause();
    line.on('error', () => {});
    const jwk = line.getPeerX509Certificate()?.publicKey.export({ format: 'jwk' });
    const caller = this.#callers.get((await readPublicKey(jwk)).id);
    if (!caller) throw new Error('somebody called whose key the tap does not have');
    const onward = connect({ port, host: '127.0.0.1', ...caller.certified, rejectUnauthorized: false });
    for (const socket of [line, onward]) {
      this.#sockets.add(socket);
      socket.on('error', () => {});
      socket.on('close', () => {
        line.destroy();
        onward.destroy();
      });
    }
    this.#copy(line, onward, { caller: caller.name, by: 'caller' });
    this.#copy(onward, line, { caller: caller.name, by: 'entity' });
    line.resume();
  }

  #copy(from: TLSSocket, to: TLSSocket, whose: Pick<HeardFrame, 'caller' | 'by'>): void {
    const reader = new FrameReader(2 ** 30);
    from.on('data', (piece: Buffer) => {
      for (const frame of reader.read(Buffer.from(piece))) this.frames.push({ ...whose, ...frame });
      to.write(piece);
    });
  }
}
