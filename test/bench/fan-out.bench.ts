/**
 * One message to many devices by our delivery and by the web-push package, to the same sink over
 * TLS, and how fast this machine encrypts.
 * `npm run bench -- fan-out --devices 10000 --rounds 3`
 */
import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import webPush from 'web-push';
import { encrypt } from '../../server/delivery/web-push/encryption';
import { startDelivery } from '../../server/delivery/delivery';
import { createLog } from '../../server/lib/log';
import { createOutbox } from '../support/delivery/outbox';
import { encryptPlainly } from '../support/push-services/plain-encryption';
import { createPushSubscriber } from '../support/push-services/subscriber';
import { trust, type Certificate } from '../support/network/tls';
import { measureWork, getMedianRun, readOption, type WorkRate } from './measure';

const DEVICE_COUNT = readOption('devices', 10_000);
const ROUNDS = readOption('rounds', 3);
const PARALLEL_PUSHES = 256;

const vapid = webPush.generateVAPIDKeys();
const subject = 'mailto:ops@example.com';
const text =
  'Line 4 is down between Harbor and Mill Road. A crew is on its way; expect power again by 14:30.';

const sink = fork(new URL('./push-sink.mjs', import.meta.url));
const { port, certificate } = (await replyOf(sink)) as { port: number; certificate: Certificate };
trust(certificate);
const subscriptions = Array.from({ length: DEVICE_COUNT }, (_, index) => ({
  endpoint: `https://localhost:${port}/${index}`,
  keys: createPushSubscriber().keys,
}));

async function deliverByOurs(): Promise<WorkRate> {
  const outbox = await createOutbox();
  await outbox.addDevices(subscriptions.map((subscription) => JSON.stringify(subscription)));
  await outbox.addMessage({ now: Date.now(), text });
  let onLine = (_line: string): void => undefined;
  let receivedPushes = 0;
  const allReceived = new Promise<void>((resolve, reject) => {
    onLine = (line) => {
      receivedPushes += JSON.parse(line).accepted ?? 0;
      if (receivedPushes === DEVICE_COUNT) resolve();
      else if (/postponed|failed|error/.test(line)) reject(new Error(line));
    };
  });
  const log = createLog((line) => onLine(line));
  const measured = await measureWork(DEVICE_COUNT, async () => {
    const delivery = startDelivery({
      ...outbox,
      vapid,
      subject,
      appOrigin: 'https://bell.example',
      allowedHosts: [`localhost:${port}`],
      log,
      concurrency: PARALLEL_PUSHES,
      maySpeakHttp2: () => true,
    });
    await allReceived;
    await delivery.stop();
  });
  await outbox.close();
  return measured;
}

function sendByPackage(): Promise<WorkRate> {
  const queue = subscriptions.values();
  const worker = async () => {
    for (const subscription of queue) {
      await webPush.sendNotification(subscription, text, {
        vapidDetails: { subject, ...vapid },
        TTL: 3600,
        urgency: 'high',
      });
    }
  };
  return measureWork(
    DEVICE_COUNT,
    async () => void (await Promise.all(Array.from({ length: PARALLEL_PUSHES }, worker))),
  );
}

function encryptOnly(encryption: typeof encrypt): Promise<WorkRate> {
  const payload = Buffer.from(JSON.stringify({ text }));
  return measureWork(DEVICE_COUNT, async () => {
    for (const { keys } of subscriptions) encryption(payload, keys);
  });
}

async function replyOf(child: ChildProcess): Promise<unknown> {
  return (await once(child, 'message'))[0];
}

async function countReceived(): Promise<number> {
  sink.send('count');
  return ((await replyOf(sink)) as { received: number }).received;
}

const results: Record<'ours' | 'theirs' | 'plain' | 'own', WorkRate[]> = {
  ours: [],
  theirs: [],
  plain: [],
  own: [],
};
// The first round warms the compiler up.
for (let round = 0; round <= ROUNDS; round++) {
  const before = await countReceived();
  const measured = {
    ours: await deliverByOurs(),
    theirs: await sendByPackage(),
    plain: await encryptOnly(encryptPlainly),
    own: await encryptOnly(encrypt),
  };
  const arrived = (await countReceived()) - before;
  if (arrived !== 2 * DEVICE_COUNT)
    throw new Error(`${arrived} arrived instead of ${2 * DEVICE_COUNT}`);
  if (round === 0) continue;
  for (const name of ['ours', 'theirs', 'plain', 'own'] as const)
    results[name].push(measured[name]);
}
sink.disconnect();

const [ours, theirs, plain, own] = [
  getMedianRun(results.ours),
  getMedianRun(results.theirs),
  getMedianRun(results.plain),
  getMedianRun(results.own),
];
const describeMeasured = (name: string, { perSecond, perCpuSecond, memory }: WorkRate) =>
  console.log(
    `  ${name.padEnd(28)}${perSecond.toFixed(0).padStart(7)}/s${perCpuSecond.toFixed(0).padStart(9)}/CPU s${memory.toFixed(0).padStart(7)} MB`,
  );
const report = (what: string, figure: number, aim: number, digits = 2): void =>
  console.log(
    `  ${what}: ${figure.toFixed(digits)} (aim: ${aim})${figure < aim ? '  MISSED' : ''}`,
  );
console.log(`fan-out: ${DEVICE_COUNT} devices, ${PARALLEL_PUSHES} at once, median of ${ROUNDS}`);
describeMeasured('delivery, with its outbox', ours);
describeMeasured('web-push package', theirs);
describeMeasured('encryption by Node’s functions', plain);
describeMeasured('encryption by ours', own);
report('times the web-push package, on the clock', ours.perSecond / theirs.perSecond, 5);
report('… for each CPU second', ours.perCpuSecond / theirs.perCpuSecond, 3.6);
// The rate is compared with encryption's earlier, slower rate.
report(
  '% of the bare encryption rate, for each CPU second',
  (100 * ours.perCpuSecond) / plain.perCpuSecond,
  50,
  0,
);
console.log(
  `  … of that of our own encryption: ${((100 * ours.perCpuSecond) / own.perCpuSecond).toFixed(0)}`,
);
