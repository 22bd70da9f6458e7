import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { makeServer } from '../../support/server/server';
import { countQueries } from '../../support/database/query-count';

const test = suite('what webhooks cost');

test('an answer asks the database nothing more where no webhook listens to answers', async () => {
  const { plugin, asked } = countQueries();
  const server = await makeServer({ plugin });
  const ana = await server.makePerson('ADMIN', { username: 'ana' });
  const costs: number[] = [];
  for (const events of [undefined, '["message.sent"]', '["message.acknowledged"]']) {
    const { answer } = await server.call('POST /api/admin/messages', {
      as: ana,
      body: { userIds: [ana.id], message: 'Hello', answers: ['Got it'] },
    });
    if (events !== undefined)
      await server.services.db
        .insertInto('webhooks')
        .values({ url: `https://hooks.example/${events}`, events, secret: 'whsec_' })
        .execute();
    const before = asked();
    await server.call('POST /api/notifications/receipts', {
      as: ana,
      body: { receipts: [{ messageId: answer.messageId, kind: 'acknowledged', answer: 'Got it' }] },
    });
    costs.push(asked() - before);
  }
  const [none, other, listening] = costs;
  assert.is(other, none);
  assert.ok((listening ?? 0) > (none ?? 0));
  await server.close();
});

test.run();
