import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { createOutcomeLog } from '../../../../server/delivery/queue/worker';
import { createLog } from '../../../../server/lib/log';

const test = suite('the summary of deliveries');

test('logs outcomes together, when idle or every ten seconds, each once', () => {
  let now = 1_000_000;
  const entries: unknown[] = [];
  const tally = createOutcomeLog(
    createLog((line) => {
      const { time: _time, level: _level, ...counts } = JSON.parse(line) as Record<string, unknown>;
      entries.push(counts);
    }),
    () => now,
  );
  tally.report(true);
  assert.equal(entries, [], 'nothing happened');

  for (const state of ['accepted', 'gone', 'accepted']) tally.add(state);
  now += 9999;
  tally.report(false);
  assert.equal(entries, [], 'not before');
  now += 1;
  tally.report(false);
  assert.equal(entries.splice(0), [{ event: 'pushes attempted', accepted: 2, gone: 1 }]);

  tally.add('failed');
  now += 9999;
  tally.report(false);
  assert.equal(entries, [], 'ten seconds after the one before');
  tally.report(true);
  tally.report(true);
  assert.equal(entries, [{ event: 'pushes attempted', failed: 1 }]);
});

test.run();
