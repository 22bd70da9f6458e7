import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { ClaimedPush } from '../../../../server/db/outbox/claimed-push';
import { createClaim } from '../../../support/delivery/claim';
import { settlePush } from '../../../../server/delivery/queue/settle';

const test = suite('outcomes of attempts');
const NOW = Date.parse('2026-11-21T09:30:00Z');
const [SECOND, MINUTE, HOUR] = [1000, 60_000, 3_600_000];
const retry = { kind: 'retry', reason: 'status-503' } as const;

const createExpiringClaim = ({
  attempts = 0,
  lostClaims = 0,
  expiresIn = HOUR,
} = {}): ClaimedPush =>
  createClaim({ sentAt: NOW, expiresAt: NOW + expiresIn }, { id: 1, attempts, lostClaims });

/** The longest possible wait in milliseconds; undefined if it is abandoned. */
function waitAfter(
  claim: Parameters<typeof createExpiringClaim>[0],
  outcome: Parameters<typeof settlePush>[1] = retry,
): number | undefined {
  const settlement = settlePush(createExpiringClaim(claim), outcome, NOW, () => 1);
  return settlement.state === 'pending' ? settlement.dueAt - NOW : undefined;
}

test('doubles the wait with each failed attempt, not counting those of crashed processes', () => {
  assert.equal(
    [0, 1, 2, 20].map((attempts) => waitAfter({ attempts })),
    [5 * SECOND, 10 * SECOND, 20 * SECOND, 15 * MINUTE],
  );
  assert.is(waitAfter({ attempts: 3, lostClaims: 2 }), waitAfter({ attempts: 1 }));
  assert.is(waitAfter({ attempts: 2, lostClaims: 2 }), waitAfter({ attempts: 0 }));
});

test('uses Retry-After only where it is longer', () => {
  assert.is(waitAfter({}, { ...retry, after: NOW + MINUTE }), MINUTE);
  assert.is(waitAfter({}, { ...retry, after: NOW + SECOND }), 5 * SECOND);
});

test('gives up a push whose next attempt would come after it expires', () => {
  assert.is(waitAfter({ expiresIn: 5 * SECOND + 1 }), 5 * SECOND);
  const settlement = settlePush(
    createExpiringClaim({ expiresIn: 5 * SECOND }),
    retry,
    NOW,
    () => 1,
  );
  assert.equal(
    [settlement.state, settlement.reason, settlement.attempted],
    ['failed', 'status-503', true],
  );
});

test('waits about five minutes when our credentials are rejected', () => {
  for (const attempts of [0, 9])
    assert.is(
      waitAfter({ attempts }, { kind: 'misconfigured', reason: 'status-403', scope: 'device' }),
      5.5 * MINUTE,
    );
});

test('counts only rejections of this device against it', () => {
  const misconfigured = { kind: 'misconfigured', reason: 'x' } as const;
  for (const [outcome, reason, isOfDevice] of [
    [{ kind: 'gone', reason: 'status-410' }, 'gone', true],
    [{ kind: 'failed', reason: 'status-400' }, 'refused', true],
    [retry, 'unreachable', false],
    [{ ...retry, isUnreachable: true }, 'unreachable', false],
    [{ ...retry, isBusy: true }, 'busy', false],
    [{ ...misconfigured, scope: 'device' }, 'refused', true],
    [{ ...misconfigured, scope: 'service' }, 'refused', false],
    [{ ...misconfigured, scope: 'device', isOurs: true }, 'refused', false],
  ] as const)
    assert.equal(
      settlePush(createExpiringClaim(), outcome, NOW, () => 1).failure,
      { reason, isOfDevice },
      JSON.stringify(outcome),
    );
  const acceptedSettlement = settlePush(createExpiringClaim(), { kind: 'accepted' }, NOW, () => 1);
  assert.equal([acceptedSettlement.failure, acceptedSettlement.at], [undefined, NOW]);
});

test.run();
