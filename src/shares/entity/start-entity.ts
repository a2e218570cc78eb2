// [entity] Starts a central entity as a process: its folder locked, its port open, every federation it serves ready.
import { lockDirectory } from '../../base/directory-lock.ts';
import { charterFingerprint } from '../charter.ts';
import { PATIENCE_MS } from '../link/conversation.ts';
import { LINK_TIMES, type LinkTimes } from '../link/link.ts';
import { listenForLinks } from '../link/listen.ts';
import { selfSignedCertificate } from '../link/self-signed-certificate.ts';
import { EntityFederation } from './entity-federation.ts';
import { EntityFolder } from './entity-folder.ts';
import { type ConversationProgram, EntityService } from './entity-service.ts';

export interface EntityOptions {
  /** Folder that `EntityFolder.create` made. */
  data: string;
  host?: string | undefined;
  /** By default that of the entity's address; 0 takes a free one. */
  port?: number | undefined;
  program: ConversationProgram;
  times?: LinkTimes | undefined;
  /** Milliseconds that another entity may take for its part of a step. */
  patience?: number | undefined;
  /** Bytes of shares that an owner may have in a federation. */
  ownerBytes?: number | undefined;
}

/** An entity that answers. */
export interface RunningEntity {
  /** tls://host:port#key-id */
  address: string;
  /** The port that was bound. */
  port: number;
  close(): Promise<void>;
}

export async function startEntity(options: EntityOptions): Promise<RunningEntity> {
  const { data, host = '127.0.0.1', program, times = LINK_TIMES, patience = PATIENCE_MS } = options;
  const folder = await EntityFolder.open(data);
  const lock = lockDirectory(data, { thing: 'data folder', code: 'F3_STORAGE_LOCKED' });
  try {
    const certified = selfSignedCertificate(folder.keys);
    const service = new EntityService({
      folder,
      program,
      open: (charter) =>
        new EntityFederation({
          charter,
          folder: folder.federationFolder(charterFingerprint(charter)),
          keyId: folder.keys.id,
          certified,
          times,
          patience,
          ownerBytes: options.ownerBytes,
        }),
    });
    const port = options.port ?? Number(new URL(folder.address).port);
    const listener = await listenForLinks({
      host,
      port,
      certified,
      times,
      handlersOf: (link) => service.handlersOf(link),
    });
    return {
      address: folder.address,
      port: listener.port,
      async close() {
        service.close();
        await listener.close();
        lock.release();
      },
    };
  } catch (error) {
    lock.release();
    throw error;
  }
}
