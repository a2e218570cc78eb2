// An address that cannot be had, with real sockets.
import { type AddressInfo, createServer } from 'node:net';
import Fastify from 'fastify';
import { expect, test } from 'vitest';
import { listen } from './listen.ts';

test('a port that another process has is told in one line', async () => {
  const other = createServer();
  await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
  const { port } = other.address() as AddressInfo;
  try {
    await expect(listen(Fastify(), { host: '127.0.0.1', port })).rejects.toMatchObject({
      code: 'F3_LISTEN',
      message: `coordinator: must be able to listen at 127.0.0.1:${port}, got one that another process uses`,
    });
  } finally {
    other.close();
  }
});

test('an address of another machine is told in one line', async () => {
  // Of the block for documentation (RFC 5737): no machine has it.
  await expect(listen(Fastify(), { host: '192.0.2.1', port: 0 })).rejects.toMatchObject({
    code: 'F3_LISTEN',
    message: 'coordinator: must be able to listen at 192.0.2.1:0, got an address that this machine does not have',
  });
});

test('a port that is not allowed is told in one line; what is not known is thrown on', async () => {
  // Whether a low port is refused depends on who runs the tests, so the system's answer is given here.
  const refused = (code: string) => ({
    listen: async () => {
      throw Object.assign(new Error(`listen ${code}`), { code, syscall: 'listen' });
    },
  });
  const place = { host: '::', port: 443 };
  await expect(listen(refused('EACCES') as never, place)).rejects.toMatchObject({
    code: 'F3_LISTEN',
    message: expect.stringContaining('must be able to listen at [::]:443, got no permission'),
  });
  await expect(listen(refused('EMFILE') as never, place)).rejects.toMatchObject({ code: 'EMFILE' });
});
