// [entity] A central entity inside a program: what `f3 entity init`, `admit` and `serve` do.
import { parseFingerprint } from '../charter.ts';
import { EntityFolder } from './entity-folder.ts';
import { runConversation } from './run-conversation.ts';
import { type RunningEntity, startEntity } from './start-entity.ts';

/** What an entity runs on. */
export interface RunEntityOptions {
  /** Folder that `createEntity` made. One process uses it at a time. */
  data: string;
  /** Address to listen on. Default 127.0.0.1. */
  host?: string | undefined;
  /** Port to listen on. Default: that of the entity's address. */
  port?: number | undefined;
  /** Bytes of shares that an owner may have in a federation. */
  ownerBytes?: number | undefined;
}

/**
 * Makes the folder and the key of an entity, once. `url`, tls://host:port, is where others reach it. Returns the address that goes into
 * charters, which ends with the key's id; with another `url` the key stays.
 */
export async function createEntity(data: string, url: string): Promise<string> {
  return (await EntityFolder.create(data, url)).address;
}

/** The operator's word that the charter with this fingerprint may be served here. The entity may be running. */
export async function admitCharter(data: string, fingerprint: string): Promise<void> {
  (await EntityFolder.open(data)).admit(parseFingerprint(fingerprint));
}

/** Runs an entity: it takes shares from owners, and computes with the other entities of the charters that were admitted. */
export function runEntity(options: RunEntityOptions): Promise<RunningEntity> {
  return startEntity({ ...options, program: runConversation });
}
