import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { createClock, type Clock } from '../../../server/lib/clock';

const test = suite('the server’s clock');
const START = Date.parse('2026-11-21T09:30:00Z');
const [SECOND, HOUR, DAY] = [1000, 3600_000, 24 * 3600_000];
let wall: number;
let elapsed: number;
let clock: Clock;
test.before.each(() => {
  [wall, elapsed] = [START, 5000];
  clock = createClock(
    () => wall,
    () => elapsed,
  );
});

/** Lets time pass, reading the clock every second like a server. */
function passTime(milliseconds: number): void {
  for (let passed = 0; passed < milliseconds; passed += SECOND) {
    wall += SECOND;
    elapsed += SECOND;
    clock.now();
  }
}

test('follows the system clock and its small corrections', () => {
  assert.is(clock.now(), START);
  passTime(10 * SECOND);
  assert.is(clock.now(), START + 10 * SECOND);
  wall += 1500;
  assert.is(clock.now(), START + 11_500);
  wall -= 1500;
  assert.is(clock.now(), START + 10 * SECOND);
});

for (const [caseName, jump] of [
  ['two days ahead', 2 * DAY],
  ['an hour back', -HOUR],
] as const) {
  test(`ignores a system clock that is ${caseName} for three seconds`, () => {
    passTime(100 * SECOND);
    wall += jump;
    passTime(3 * SECOND);
    assert.is(clock.now(), START + 103 * SECOND);
    assert.not(clock.isSure());
    wall -= jump;
    assert.is(clock.now(), START + 103 * SECOND);
    assert.ok(clock.isSure());
  });

  test(`accepts after a minute that it is ${caseName}`, () => {
    passTime(100 * SECOND);
    wall += jump;
    clock.now();
    passTime(59 * SECOND);
    assert.is(clock.now(), START + 159 * SECOND);
    assert.not(clock.isSure());
    passTime(SECOND);
    assert.is(clock.now(), START + jump + 160 * SECOND);
    assert.ok(clock.isSure());
  });
}

test('restarts its minute of doubt with each jump', () => {
  passTime(100 * SECOND);
  for (let jumps = 0; jumps < 10; jumps++) {
    wall += HOUR;
    passTime(30 * SECOND);
  }
  assert.is(clock.now(), START + 400 * SECOND);
});

test('does not trust the clock in the first minute', () => {
  passTime(59 * SECOND);
  assert.not(clock.isSure());
  passTime(SECOND);
  assert.ok(clock.isSure());
});

test.run();
