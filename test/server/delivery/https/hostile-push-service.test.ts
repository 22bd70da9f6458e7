import tls, { type ConnectionOptions } from 'node:tls';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { createAddressGuard } from '../../../../server/delivery/https/address-guard';
import type { Resolve } from '../../../../server/delivery/https/resolver';
import {
  createHttpsClient,
  DEFAULT_LIMITS,
  type HttpsClient,
} from '../../../../server/delivery/https/client';
import type { HttpsResponse } from '../../../../server/delivery/https/response';
import { eventually } from '../../../support/eventually';
import { startHostilePushService } from '../../../support/push-services/hostile-push-service.mjs';
import { startPushSink, type PushSink } from '../../../support/push-services/push-sink';
import { localCertificate, trust } from '../../../support/network/tls';

const test = suite('hostile push services');

/** Repeat a failure with `SEED=… npm test -- hostile`. */
const SEED = Number(process.env.SEED ?? Date.now() % 1_000_000);
const HOST_COUNT = Number(process.env.HOSTS ?? 200);
const resolve: Resolve = (_name, _options, done) =>
  process.nextTick(done, null, [{ address: '127.0.0.1', family: 4 }]);

let sink: PushSink;
let client: HttpsClient;
let removeTrust: () => void;

test.before.each(async () => {
  removeTrust = trust(localCertificate());
  sink = await startPushSink();
});
test.after.each(async () => {
  client.close();
  await sink.close();
  removeTrust();
});

test(`ends every push to ${HOST_COUNT} hostile push services, and delivers to a healthy one (seed ${SEED})`, async () => {
  const hostile = await startHostilePushService({
    ...localCertificate(),
    seed: SEED,
    stays: false,
  });
  const restore = withoutTls(hostile);
  const hosts = Array.from({ length: HOST_COUNT }, (_, index) => hostile.hostOf(index));
  // Many hosts fall silent and time out together.
  const limits = { ...DEFAULT_LIMITS, timeout: 400, parting: 20, idle: 50 };
  client = createHttpsClient(createAddressGuard([...hosts, 'localhost'], resolve), limits);
  const post = (host: string, port: number): Promise<HttpsResponse> =>
    client.post(new URL(`https://${host}:${port}/device`), { TTL: '60' }, Buffer.alloc(2000));

  const responses = await Promise.all(hosts.map((host) => post(host, hostile.port)));
  for (const response of responses) {
    assert.is.not(response.kind, 'withdrawn');
    if (response.kind === 'rejected' || response.kind === 'unreachable')
      assert.match(response.reason, /^\w+$/);
    else if (response.kind === 'responded')
      assert.ok(
        Number.isInteger(response.status) && response.body.length <= DEFAULT_LIMITS.responseBytes,
        JSON.stringify(response).slice(0, 200),
      );
  }
  assert.is(hostile.tally().hosts, HOST_COUNT);
  await eventually(
    async () => (await post('localhost', sink.port)).kind === 'responded',
    'a healthy push service to be reached',
  );
  await eventually(() => client.connections() === 0, 'every connection to be closed');
  restore();
  hostile.close();
});

/** Connects to the hostile hosts without TLS. test/abuse covers what TLS alone can do. */
function withoutTls({
  connectPlainly,
}: Awaited<ReturnType<typeof startHostilePushService>>): () => void {
  const original = tls.connect;
  tls.connect = ((options: ConnectionOptions) => {
    const name = options.servername ?? '';
    return name.endsWith('.push.localhost')
      ? connectPlainly(name, options.ALPNProtocols)
      : original(options);
  }) as typeof tls.connect;
  return () => {
    tls.connect = original;
  };
}

test.run();
