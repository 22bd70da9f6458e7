import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import {
  createLookupQueue,
  type LookupQueue,
  type LookupTrust,
} from '../../../../server/delivery/https/lookup-queue';

const test = suite('queue of name lookups');
const QUEUE_LIMITS = { lookups: 8, reserved: 2, perSite: 2, waiting: 5, maxWait: 1000 };
let time: number;
let queue: LookupQueue;
/** Ends a lookup that has begun, by name. */
let openLookups: Map<string, () => void>;
let outcomes: (string | undefined)[];
test.before.each(() => {
  time = 0;
  queue = createLookupQueue(QUEUE_LIMITS, () => time);
  openLookups = new Map();
  outcomes = [];
});

const startLookup = (name: string, trust: LookupTrust = 'new') =>
  void queue
    .enter(
      name,
      trust,
      () => new Promise<string>((resolve) => openLookups.set(name, () => resolve(name))),
    )
    .then((result) => outcomes.push(result));
const endLookup = async (name: string) => {
  openLookups.get(name)?.();
  await new Promise((resolve) => setImmediate(resolve));
};
const names = () => [...openLookups.keys()];

test('looks up other domains while one domain is silent', async () => {
  for (const host of ['a.slow.example', 'b.slow.example', 'c.slow.example', 'd.slow.example'])
    startLookup(host);
  for (const host of ['a.one.test', 'a.two.test', 'a.three.test']) startLookup(host);
  assert.equal(names(), ['a.slow.example', 'b.slow.example', 'a.one.test', 'a.two.test']);
  await endLookup('a.one.test');
  assert.equal(names().slice(4), ['a.three.test']);
  await endLookup('a.slow.example');
  assert.equal(names().slice(5), ['c.slow.example']);
});

test('reserves lookups for known names, and more for trusted ones', () => {
  for (let nth = 0; nth < 5; nth += 1) startLookup(`a.new${nth}.test`);
  assert.is(names().length, 4);
  for (let nth = 0; nth < 3; nth += 1) startLookup(`a.known${nth}.test`, 'known');
  assert.is(names().length, 6);
  for (let nth = 0; nth < 3; nth += 1) startLookup('fcm.example', 'trusted');
  startLookup('web.example', 'trusted');
  assert.equal(names().slice(6), ['fcm.example']);
});

test('gives up lookups that wait too long, or behind too many', async () => {
  for (let nth = 0; nth < 8; nth += 1) startLookup(`n${nth}.slow.example`);
  await new Promise((resolve) => setImmediate(resolve));
  assert.equal(outcomes, [undefined], 'the eighth: two are under way and five wait');
  time = 1001;
  await endLookup('n0.slow.example');
  assert.equal(outcomes.slice(1).sort(), [...Array(5).fill(undefined), 'n0.slow.example'].sort());
  assert.is(names().length, 2);
});

test.run();
