// For whoever works on the dashboard: a coordinator with owners, two models and live samples, until Ctrl-C.
//   node dashboard/dev-scene.ts [--owners 12] [--port 7701] [--live-ms 500]
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { DashboardScene, SCENE_HOLDER } from '../test/support/dashboard-scene.ts';

const { values } = parseArgs({
  options: {
    owners: { type: 'string', default: '12' },
    port: { type: 'string', default: '7701' },
    'live-ms': { type: 'string', default: '500' },
  },
});
const data = mkdtempSync(join(tmpdir(), 'f3-scene-'));
process.stdout.write(`making a federation in ${data}\n`);
const scene = await DashboardScene.start({ data, owners: Number(values.owners), port: Number(values.port) });
const ending = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => ending.abort());

for (const member of ['operator', SCENE_HOLDER, 'owner-0']) {
  process.stdout.write(`${member}: ${await scene.link(member)}\n`);
}
process.stdout.write('another link: press Enter\n');
process.stdin.on('data', async () => process.stdout.write(`operator: ${await scene.link()}\n`));

while (!ending.signal.aborted) {
  await scene.sendLive().catch((error: Error) => process.stderr.write(`${error.message}\n`));
  await sleep(Number(values['live-ms']), undefined, { signal: ending.signal }).catch(() => undefined);
}
process.stdin.pause();
await scene.close();
rmSync(data, { recursive: true, force: true });
