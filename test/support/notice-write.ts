// A store that tells when something was written to a table, so that a test can act at that moment and not some time after it.
import { ColumnNode, type KyselyPlugin, type RootOperationNode, TableNode } from 'kysely';
import type { Store } from '../../src/storage/database/open-database.ts';

/** Calls `act` after every statement that has inserted into the table, or has set the column if one is named. Both as SQL calls them. */
export function noticeWrite(store: Store, table: string, act: () => void, column?: string): Store {
  const noticed = new WeakSet<object>();
  const plugin: KyselyPlugin = {
    transformQuery({ node, queryId }) {
      if (column === undefined ? inserts(node, table) : sets(node, table, column)) noticed.add(queryId);
      return node;
    },
    async transformResult({ result, queryId }) {
      if (noticed.has(queryId)) act();
      return result;
    },
  };
  return { ...store, db: store.db.withPlugin(plugin) };
}

function inserts(node: RootOperationNode, table: string): boolean {
  return node.kind === 'InsertQueryNode' && node.into?.table.identifier.name === table;
}

function sets(node: RootOperationNode, table: string, column: string): boolean {
  if (node.kind !== 'UpdateQueryNode' || !node.table || !TableNode.is(node.table)) return false;
  const columns = node.updates?.map(({ column: set }) => (ColumnNode.is(set) ? set.column.name : undefined));
  return node.table.table.identifier.name === table && columns?.includes(column) === true;
}
