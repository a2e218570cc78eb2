// [coordinator] Listens at the address that owners reach, or says in one line why that is not possible.
import { F3Error } from '../../errors.ts';
import type { App } from '../app.ts';

const REASONS: Record<string, string> = {
  EACCES: 'no permission: ports below 1024 are often for the administrator alone',
  EADDRINUSE: 'one that another process uses',
  EADDRNOTAVAIL: 'an address that this machine does not have',
  EAI_AGAIN: 'no answer from the name service',
  ENOTFOUND: 'a host name that is unknown',
};

export async function listen(app: Pick<App, 'listen'>, { host, port }: { host: string; port: number }): Promise<void> {
  try {
    await app.listen({ host, port });
  } catch (cause) {
    const reason = REASONS[(cause as NodeJS.ErrnoException).code ?? ''];
    if (reason === undefined) throw cause;
    const address = host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`;
    throw new F3Error('F3_LISTEN', `coordinator: must be able to listen at ${address}, got ${reason}`, { cause });
  }
}
