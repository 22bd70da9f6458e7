/** How the database finds due rows in a very long queue. */
import { sql } from 'kysely';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { claimDue } from '../../../../server/db/outbox/claim-pushes';
import {
  listDueProvenQueues,
  oldestDueAt,
  scanDueUnprovenServices,
} from '../../../../server/db/outbox/queues';
import { NO_SERVICE } from '../../../../server/db/push-services';
import { compileQueryNode, explainQuery, recordQueries } from '../../../support/database/plans';
import { createOutbox, type Outbox } from '../../../support/delivery/outbox';

const test = suite('queues with very many rows');
const START = Date.parse('2026-11-21T09:30:00Z');
const NOW = sql.lit(START);
const ROW_COUNT = 20_000;
let outbox: Outbox;
test.before(async () => {
  outbox = await createOutbox();
  const message = await outbox.addMessage({ now: START });
  await sql`insert into deliveries (message_id, device_id, device_type, state, due_at, updated_at, created_at, service_id, sort_key)
    select ${sql.lit(message)}, i, 'web', 'pending', ${NOW}, ${NOW}, ${NOW}, ${sql.lit(NO_SERVICE)}, ${NOW} + 100 * i
    from (with recursive n(i) as (select 1 union all select i + 1 from n where i < ${sql.lit(ROW_COUNT)}) select i from n) as n`.execute(
    outbox.db,
  );
  await sql`analyze`.execute(outbox.db);
});
test.after(() => outbox.close());

for (const [name, look] of Object.entries({
  'which queues have something due': (db: Outbox['db']) => listDueProvenQueues(db, START),
  'which other queues have something due': (db: Outbox['db']) =>
    scanDueUnprovenServices(db, START, 0, 64),
  'since when something waits': (db: Outbox['db']) => oldestDueAt(db),
  'what to send next': (db: Outbox['db']) =>
    claimDue(db, outbox.engine, {
      now: START,
      leaseMs: 30_000,
      from: [{ service: NO_SERVICE, limit: 100 }],
    }),
}))
  test(`reads a few of twenty thousand rows to find ${name}`, async () => {
    const queryRecorder = recordQueries();
    await look(outbox.db.withPlugin(queryRecorder.plugin));
    const secondDatabase = outbox.openSecondConnection();
    const plan = await secondDatabase.connection().execute(async (connection) => {
      const lines: string[] = [];
      for (const node of queryRecorder.takeQueries())
        lines.push(...(await explainQuery(compileQueryNode(node, connection), connection)));
      return lines;
    });
    assert.ok(plan.some((line) => line.includes('deliveries_queue')));
    assert.equal(
      plan.filter((line) =>
        /(Seq Scan|Bitmap Heap Scan) on deliveries|^SCAN deliveries/.test(line),
      ),
      [],
    );
  });

test.run();
