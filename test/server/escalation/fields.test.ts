import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import * as v from 'valibot';
import { newPolicySchema } from '../../../src/shared/contract/escalation';
import { policyIdSchema } from '../../../src/shared/contract/topics';

const test = suite('fields of policies');
const mail = { after: 60, action: 'mail' };
/** Why it is rejected; undefined if it is accepted. */
const rejection = (change: object): string | undefined =>
  v.safeParse(newPolicySchema, { name: 'Storm', steps: [mail], ...change }).issues?.[0]?.message;

test('accepts each field up to its limit, and no more', () => {
  for (const [change, sentence] of [
    [
      (more: number) => ({ name: 'é'.repeat(100 + more) }),
      'Name is too long. Use 100 characters or fewer.',
    ],
    [
      (more: number) => ({ quorum: 1_000_000 + more }),
      'The number of needed answers must be at most 1,000,000.',
    ],
    [
      (more: number) => ({ steps: Array(8 + more).fill(mail) }),
      'A policy can have at most 8 steps.',
    ],
    [
      (more: number) => ({ steps: [{ ...mail, after: 86_400 + more }] }),
      'Each step must start between 1 minute and 24 hours after the message is sent.',
    ],
    [
      (more: number) => ({ steps: [{ ...mail, url: 'x'.repeat(2000 + more) }] }),
      'URL is too long. Use 2,000 characters or fewer.',
    ],
  ] as const)
    assert.equal([rejection(change(0)), rejection(change(1))], [undefined, sentence]);
});

test('treats quorum as optional, and validates policy ids', () => {
  assert.equal([rejection({ quorum: null }), rejection({})], [undefined, undefined]);
  assert.ok(rejection({ quorum: '2' }));
  assert.equal(
    [null, 7, 0, -1, 1.5, '7'].map((id) => v.safeParse(policyIdSchema, id).success),
    [true, true, false, false, false, false],
  );
});

test.run();
