import assert from 'node:assert/strict';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { startDnsServer } from '../../support/network/dns-server.mjs';
import { signIn } from '../process.mjs';

const NAME_SERVERS_MODULE = path.resolve('test/support/network/name-servers.mjs');
const WEBHOOK_HOST = 'rebind.example';
const WEBHOOK_URL = `https://${WEBHOOK_HOST}/bell`;
/** This machine, its network and a cloud's metadata service. */
const PRIVATE_ADDRESSES = {
  a: ['127.0.0.1', '10.0.0.1', '169.254.169.254'],
  aaaa: ['::1', 'fd00::1', '::ffff:127.0.0.1'],
  ttl: 0,
};
/** Maximum wait until the server forgets a DNS answer, which it keeps for at least ten seconds. */
const DNS_EXPIRY_LIMIT_MS = 30_000;

/**
 * A webhook whose public name later points into the server's own network (DNS rebinding) is called
 * neither by a test nor by an event.
 */
export async function testMovedWebhook({ start }) {
  const dns = await startDnsServer();
  dns.names.set(WEBHOOK_HOST, { a: ['9.9.9.9'], ttl: 0 });
  const server = await start({
    NODE_OPTIONS: `--import ${NAME_SERVERS_MODULE}`,
    NAME_SERVERS: dns.address,
  });
  try {
    const call = await signIn(server.address);
    const add = () =>
      call('POST', '/admin/webhooks', { url: WEBHOOK_URL, events: ['message.sent'] });
    const { id } = await add();
    dns.names.set(WEBHOOK_HOST, PRIVATE_ADDRESSES);
    const deadline = Date.now() + DNS_EXPIRY_LIMIT_MS;
    const rejection = await (async () => {
      for (;;) {
        const { message } = await add().catch((error) => error);
        if (!/ 409 /.test(message)) return message;
        assert.ok(Date.now() < deadline, 'the old address is kept for too long');
        await wait(200);
      }
    })();
    assert.match(rejection, / 400 .*private network/);
    const questionCount = dns.questions.length;
    const { lastStatus } = await call('POST', `/admin/webhooks/${id}/test`);
    assert.equal(lastStatus, 0);
    const [{ id: self }] = (await call('GET', '/admin/users')).users;
    await call('POST', '/admin/messages', { userIds: [self], message: 'Hello' });
    const [before] = (await call('GET', '/admin/webhooks')).webhooks;
    let webhook = before;
    while (webhook.lastAt === before.lastAt) {
      assert.ok(Date.now() < deadline + DNS_EXPIRY_LIMIT_MS, 'the event is not tried');
      await wait(100);
      [webhook] = (await call('GET', '/admin/webhooks')).webhooks;
    }
    assert.equal(webhook.lastStatus, 0);
    const log = server.output();
    assert.match(log, /"event":"webhook fails".*"reason":"endpoint-address"/);
    assert.doesNotMatch(log, /ECONNREFUSED|ETIMEDOUT/);
    await server.end('SIGTERM');
    return `a name that moved to ${PRIVATE_ADDRESSES.a.length + PRIVATE_ADDRESSES.aaaa.length} addresses inside was refused when added, tested and sent a message (${questionCount} questions for it before)`;
  } finally {
    dns.close();
  }
}
