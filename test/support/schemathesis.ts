// Runs Schemathesis (PyPI) against a coordinator: it makes requests from /openapi.json, and a proxy signs them as the operator.
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { FederationScene } from './federation-scene.ts';

/** The program, or F3_SCHEMATHESIS. */
const PROGRAM = process.env.F3_SCHEMATHESIS ?? 'schemathesis';
const CHECKS = 'not_a_server_error,status_code_conformance,content_type_conformance,response_schema_conformance';

/** Gives the exit code: 0 if nothing was found, or if there is no Schemathesis on this machine. */
export async function runSchemathesis(seed: number): Promise<number> {
  if (spawnSync(PROGRAM, ['--version'], { stdio: 'ignore' }).status !== 0) {
    process.stdout.write('skipped: no schemathesis here (pip install schemathesis, or F3_SCHEMATHESIS names it)\n');
    return 0;
  }
  const data = mkdtempSync(join(tmpdir(), 'f3-schemathesis-'));
  const scene = await FederationScene.start({ data, work: false });
  const proxy = await signingProxy(scene);
  try {
    const url = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
    const args = ['run', `${url}/openapi.json`, '--url', url, '--seed', String(seed), '--checks', CHECKS];
    const more = process.env.F3_SCHEMATHESIS_ARGS?.split(' ') ?? [
      '--phases',
      'examples,fuzzing',
      '--max-examples',
      '50',
    ];
    const child = spawn(PROGRAM, [...args, ...more], { stdio: 'inherit', cwd: data });
    const [code] = (await once(child, 'exit')) as [number | null];
    return code ?? 1;
  } finally {
    proxy.close();
    proxy.closeAllConnections();
    await scene.server.close();
    rmSync(data, { recursive: true, force: true });
  }
}

/** Sends each request on with a fresh token of the operator. */
async function signingProxy(scene: FederationScene) {
  const { hostname, port } = new URL(scene.server.url);
  const server = createServer(async (asked, answer) => {
    const chunks: Buffer[] = [];
    for await (const chunk of asked) chunks.push(chunk as Buffer);
    const body = Buffer.concat(chunks);
    const { method = 'GET', url: path = '/' } = asked;
    const authorization = `Bearer ${await scene.sign('operator', { method, path, body })}`;
    const headers = { ...asked.headers, authorization, connection: 'close' };
    const sent = request({ hostname, port, method, path, headers, agent: false }, (response) => {
      answer.writeHead(response.statusCode ?? 502, response.headers);
      response.pipe(answer);
    });
    sent.on('error', () => answer.destroy());
    sent.end(body);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return server;
}
