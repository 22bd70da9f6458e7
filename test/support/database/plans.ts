import type { CompiledQuery, Kysely, KyselyPlugin, RootOperationNode } from 'kysely';
import type { Tables } from '../../../server/db/schema';
import { onPostgres } from './database';

export interface QueryRecorder {
  plugin: KyselyPlugin;
  takeQueries(): RootOperationNode[];
}

export function recordQueries(): QueryRecorder {
  let queries: RootOperationNode[] = [];
  return {
    plugin: {
      transformQuery({ node }) {
        queries.push(node);
        return node;
      },
      transformResult: async ({ result }) => result,
    },
    takeQueries() {
      const takenQueries = queries;
      queries = [];
      return takenQueries;
    },
  };
}

export const compileQueryNode = (node: RootOperationNode, db: Kysely<Tables>): CompiledQuery =>
  db.getExecutor().compileQuery(node, { queryId: 'explained' });

/**
 * A statement's plan. Needs its own connection: libsql leaves the explanation of a write unfinished
 * and commits nothing beside it.
 */
export async function explainQuery(query: CompiledQuery, db: Kysely<Tables>): Promise<string[]> {
  const command = onPostgres ? 'explain' : 'explain query plan';
  const { rows } = await db.executeQuery<Record<string, unknown>>({
    ...query,
    sql: `${command} ${query.sql}`,
  });
  return rows.map((row) => String(row['QUERY PLAN'] ?? row.detail).trim());
}
