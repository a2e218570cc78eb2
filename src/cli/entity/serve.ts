// `f3 entity serve`: runs a central entity.
import { Command } from 'commander';
import { byteCount, integerFrom } from '../option-values.ts';
import { printResult } from '../run-command.ts';
import { endRequested } from '../terminal/end-requested.ts';
import { addEntityOptions, type EntityFlags } from './entity-options.ts';

interface Options extends EntityFlags {
  host: string;
  port?: number;
  ownerBytes?: number;
}

export function serveEntityCommand(): Command {
  return addEntityOptions(new Command('serve'))
    .description('run an entity: it takes shares from owners and computes with the other entities')
    .option('--host <name>', 'address to listen on', '127.0.0.1')
    .option('--port <n>', 'port to listen on (default: that of its address)', integerFrom(0, 65_535))
    .option('--owner-bytes <size>', 'of shares that an owner may have in a federation, e.g. 5GB (20GiB)', byteCount)
    .addHelpText(
      'after',
      `
Run each entity where the operators of the others and of the coordinator have no access: whoever reads the folders of more entities
than the threshold reads all embeddings. Lines are TLS 1.3; both ends are known by their keys, so no certificate is needed.

  f3 entity init tls://entity-1.example.org:7720 --data entity
  f3 entity serve --data entity --host 0.0.0.0

SIGTERM and Ctrl-C end it in good order; what was acknowledged survives a crash. One process uses a folder at a time.`,
    )
    .action(runServe);
}

async function runServe({ data, host, port, ownerBytes, json }: Options): Promise<void> {
  const { startEntity } = await import('../../shares/entity/start-entity.ts');
  const { runConversation } = await import('../../shares/entity/run-conversation.ts');
  const ended = endRequested();
  const entity = await startEntity({ data, host, port, ownerBytes, program: runConversation });
  const { address } = entity;
  printResult({ address, port: entity.port }, `entity ${address}, listening on ${host}:${entity.port}`, json);
  await ended;
  await entity.close();
}
