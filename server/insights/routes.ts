import { recordAudit } from '../audit/record-audit';
import { CSV_TYPE, respondWithDownload } from '../http/downloads';
import type { AddRoute } from '../http/route';
import type { Services } from '../services';
import { readInsightQuery, readInsights, toInsightsCsv } from './insights';

export function addInsightRoutes(add: AddRoute, services: Services): void {
  const { db, now } = services;
  add('GET /api/admin/insights', {
    action: 'insights.read',
    respond: async ({ query }) => readInsights(await readInsightQuery(query, db), db, now()),
  });
  add('GET /api/admin/insights.csv', {
    action: 'insights.export',
    respond: async (call) => {
      const query = await readInsightQuery(call.query, db);
      const file = { type: CSV_TYPE, name: 'insights.csv' };
      return respondWithDownload(call, services, file, async () => {
        await call.transact((transaction) =>
          recordAudit(
            { action: 'export', on: 'Insights', detail: `${query.days} days` },
            transaction,
          ),
        );
        return asSinglePiece(toInsightsCsv(await readInsights(query, db, now())));
      });
    },
  });
}

async function* asSinglePiece(text: string): AsyncGenerator<string> {
  yield text;
}
