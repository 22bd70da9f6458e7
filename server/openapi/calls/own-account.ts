/** What people do with their own account. */
import * as v from 'valibot';
import type { OwnAccount, OwnAccountCalls } from '../../../src/shared/contract';
import type { Area } from '../call';
import { secrets } from '../../../src/shared/contract/secrets';
import { inInbox, technician, test } from '../samples';
import { text } from '../shapes/common';
import { accountExport, ownAccount } from '../shapes/own-account';

const { id, username, email, role, createdAt } = technician;
const account: OwnAccount = {
  ...{ id, username, email, role, createdAt },
  emailVerified: true,
  pendingEmail: null,
  hasPassword: true,
};
const newEmail = 'maya.okafor@northgrid.example';
const refusals = { 403: 'The password is wrong.', 429: 'There were too many wrong passwords.' };

export const ownAccountCalls = {
  'GET /api/account': {
    does: 'Read one’s own account',
    shape: ownAccount,
    answer: account,
  },
  'PUT /api/account/password': {
    does: 'Change one’s password',
    more: 'Ends all other sessions and the links that were mailed; devices are notified as before. The token is this session’s from then on.',
    body: { current: secrets.password, password: secrets.newPassword },
    shape: v.object({ token: text }),
    answer: { token: secrets.session },
    refusals,
  },
  'PUT /api/account/email': {
    does: 'Ask for another e-mail address',
    more: 'A link is mailed to it. Once that is opened the address counts, and the former one is told. The answer is the same where somebody else has the address. Who has no password needs a sign-in of the last ten minutes.',
    body: { email: newEmail, password: secrets.password },
    shape: ownAccount,
    answer: { ...account, pendingEmail: newEmail },
    refusals: {
      400: 'The password is missing.',
      403: 'The password is wrong, or the sign-in too old.',
      429: 'There were too many wrong passwords, or links.',
    },
  },
  'POST /api/account/sign-out-everywhere': {
    does: 'Sign out everywhere',
    more: 'Ends all sessions and signs out all devices, that from which it is asked included. The token is for who wants to go on there all the same.',
    shape: v.object({ token: text }),
    answer: { token: secrets.session },
  },
  'GET /api/account/export': {
    does: 'Download all that is kept on oneself',
    more: 'Nothing in it opens anything. It is made while it is read.',
    shape: accountExport,
    answer: {
      exportedAt: '2026-11-20T15:00:00.000Z',
      account: {
        ...account,
        status: 'ACTIVE',
        emailVerifiedAt: '2026-11-02T08:12:00.000Z',
        deviceLost: null,
        knownBrowsers: ['2026-11-20T06:55:00.000Z'],
      },
      quietHours: {
        timeZone: 'Europe/Oslo',
        rules: [{ days: [6, 7], from: '20:00', to: '09:00' }],
      },
      topics: [
        { id: 1, title: 'Storm warnings', subscribedAt: '2026-11-02T09:00:00.000Z', enabled: true },
      ],
      devices: [],
      tests: [test],
      messages: [
        {
          id: inInbox.id,
          seq: inInbox.seq,
          title: inInbox.title,
          message: inInbox.message,
          topic: 'Storm warnings',
          link: null,
          priority: inInbox.priority,
          createdAt: inInbox.createdAt,
          expiresAt: inInbox.expiresAt,
          state: 'accepted',
          devices: 1,
          displayedAt: '2026-11-20T14:02:03.000Z',
          readAt: inInbox.readAt,
          acknowledgedAt: inInbox.acknowledgedAt,
          answer: inInbox.answer,
          late: false,
        },
      ],
      sent: [],
      audit: [
        {
          at: '2026-11-20T06:55:00.000Z',
          action: 'login',
          target: username,
          detail: 'By password',
          network: '192.0.2.0/24',
        },
      ],
    },
    refusals: { 429: 'It was downloaded too often.' },
  },
} satisfies Area<OwnAccountCalls>;
