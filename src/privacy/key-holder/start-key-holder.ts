// Starts the key holder as a process of its own. It should be run by somebody who does not run the coordinator.

import { F3Error } from '../../errors.ts';
import { OprfThreads } from '../pseudonyms/oprf-threads.ts';
import { buildKeyHolder } from './key-holder-app.ts';
import { KeyHolderFiles } from './key-holder-files.ts';
import type { KeyHolderLimits } from './key-holder-limits.ts';

/** Where a key holder keeps its key, and where it answers. */
export interface KeyHolderOptions extends Partial<KeyHolderLimits> {
  /** Folder of its key, its members and their use. */
  data: string;
  /** The address to listen on; 127.0.0.1 by default. */
  host?: string | undefined;
  /** The port; 7710 by default, 0 for a free one. */
  port?: number | undefined;
  /** PEM texts; without them it speaks plain HTTP. */
  https?: { key: string; cert: string } | undefined;
}

/** A key holder that answers. */
export interface RunningKeyHolder {
  url: string;
  /** Its public key, 64 hexadecimal digits. */
  publicKey: string;
  close(): Promise<void>;
}

export async function startKeyHolder(options: KeyHolderOptions): Promise<RunningKeyHolder> {
  const { data, host = '127.0.0.1', port = 7710, ...rest } = options;
  const files = KeyHolderFiles.open(data);
  const threads = new OprfThreads();
  const app = await buildKeyHolder(files, threads, rest);
  try {
    await app.listen({ host, port });
  } catch (cause) {
    await Promise.all([app.close(), threads.close()]);
    const found = (cause as Error).message;
    throw new F3Error('F3_LISTEN', `key holder: must be able to listen at ${host}:${port}, got ${found}`, { cause });
  }
  const address = app.server.address();
  const bound = typeof address === 'object' && address ? address.port : port;
  const close = async () => {
    await app.close();
    await threads.close();
  };
  return { url: `${rest.https ? 'https' : 'http'}://${host}:${bound}`, publicKey: files.key.public, close };
}
