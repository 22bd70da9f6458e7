import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import {
  INVITATION_STATES,
  mailText,
  othersText,
  registeredText,
  importTitle,
} from '../../../../src/screens/import/import-texts';
import type { Imported, Invitation } from '../../../../src/shared/contract';

const test = suite('the result of an import, in words');

const createImported = (change: Partial<Imported>): Imported => ({
  rows: 3,
  created: 0,
  subscribed: 0,
  unchanged: 0,
  errors: [],
  links: [],
  ...change,
});
const createInvitations = (...emails: (string | null)[]): Invitation[] =>
  emails.map((email) => ({ email }) as Invitation);

test('counts added people in the title, or subscribed ones', () => {
  for (const [change, title] of [
    [{ created: 1 }, '1 user added'],
    [{ rows: 1500, created: 1200 }, '1,200 users added'],
    [{ rows: 3, unchanged: 2 }, '1 user subscribed'],
    [{ rows: 5, unchanged: 2 }, '3 users subscribed'],
  ] as const)
    assert.is(importTitle(createImported(change)), title);
});

test('counts sent emails of all to send, and failed ones', () => {
  for (const [waiting, sent, failed, text] of [
    [0, 0, 0, ''],
    [2, 0, 0, ', 0 of 2 emails sent'],
    [1, 1, 1, ', 1 of 3 emails sent, 1 failed'],
    [0, 1, 0, ', 1 email sent'],
    [0, 44, 0, ', 44 emails sent'],
    [0, 0, 2, ', 0 emails sent, 2 failed'],
    [1000, 1500, 0, ', 1,500 of 2,500 emails sent'],
  ] as const)
    assert.is(mailText({ waiting, sent, failed }), text);
  assert.is(mailText(undefined), '', 'not known yet');
});

test('reports existing people with subscriptions, and the remedy for those without email', () => {
  for (const [change, text] of [
    [{ created: 3, links: createInvitations('a', 'b', 'c') }, ''],
    [{ created: 2 }, '1 user already existed and was subscribed.'],
    [{ created: 1 }, '2 users already existed and were subscribed.'],
    [{ created: 1, unchanged: 2 }, '2 users already existed.'],
    [{ created: 1, unchanged: 1 }, '2 users already existed. 1 of them was subscribed.'],
    [{ rows: 6, created: 1, unchanged: 2 }, '5 users already existed. 3 of them were subscribed.'],
    [{ created: 0, unchanged: 1 }, ''],
    [
      { created: 3, links: createInvitations('a', null, 'c') },
      '1 user has no email address. Give them their link or a printed invitation.',
    ],
    [
      { created: 2, links: createInvitations(null, '') },
      '1 user already existed and was subscribed. 2 users have no email address. Give them their link or a printed invitation.',
    ],
  ] as const)
    assert.is(othersText(createImported(change)), text);
});

test('says how many have registered once known', () => {
  const mails = { waiting: 0, sent: 0, failed: 0 };
  const newest = { importedAt: '', people: 1200, registered: 1, mails };
  assert.is(registeredText(newest), '1 of 1,200 registered.');
  assert.equal([registeredText(null), registeredText(undefined)], ['', '']);
});

test('has words and color for each email state', () => {
  assert.equal(
    [...INVITATION_STATES].map(([state, { words, tone }]) => [state, words, tone]),
    [
      ['none', 'No email', undefined],
      ['waiting', 'On its way', undefined],
      ['sent', 'Sent', 'ok'],
      ['failed', 'Failed', 'bad'],
      ['opened', 'Opened', 'ok'],
      ['registered', 'Registered', 'ok'],
    ],
  );
});

test.run();
