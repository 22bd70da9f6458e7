/**
 * The audit entries that each changing call leaves, or why it leaves none. The completeness test
 * fails for a missing call.
 */
import type { AuditAction } from '../../../src/shared/audit-actions';
import type { Endpoint } from '../../../src/shared/contract';

interface Leaves {
  /** The entries in order, for the call's example. */
  entries: readonly AuditAction[];
  /** The author, where the caller is not signed in. */
  by?: 'technician' | 'somebody';
}
type AuditExpectation = Leaves | { none: string };
type ChangeEndpoint = Exclude<Endpoint, `GET ${string}`>;
/** Reads that change something or export data. */
type AuditedRead =
  | 'GET /api/auth/verify-email/:token'
  | 'GET /api/heartbeat/:name'
  | 'GET /api/account/export'
  | 'GET /api/admin/messages/:id/recipients.csv'
  | 'GET /api/sending/messages/:id/recipients.csv'
  | 'GET /api/admin/audit.csv'
  | 'GET /api/admin/insights.csv';

const expectEntries = (...entries: AuditAction[]): Leaves => ({ entries });
const OWN_SETTING_REASON =
  'a person’s own setting, changed many times a day, which grants no rights';
const RECEIPT_REASON = 'what a device or person says of a message is in its list of recipients';
const MAIL_REASON = 'asks for a mail, which changes nothing; what its link does is an entry';

export const CALLS: Record<ChangeEndpoint | AuditedRead, AuditExpectation> = {
  'POST /api/auth/login': { entries: ['login'], by: 'technician' },
  'POST /api/auth/second-factor': { entries: ['totp.recovery', 'login'], by: 'somebody' },
  'POST /api/auth/second-factor/begin': { none: 'nothing is kept before it is confirmed' },
  'POST /api/auth/second-factor/confirm': { entries: ['totp.on', 'login'], by: 'somebody' },
  'POST /api/account/second-factor/begin': { none: 'nothing is kept before it is confirmed' },
  'POST /api/account/second-factor/confirm': expectEntries('totp.on'),
  'POST /api/account/second-factor/recovery-codes': expectEntries('totp.codes'),
  'DELETE /api/account/second-factor': expectEntries('totp.off'),
  'POST /api/auth/passkey/begin': { none: 'only gives a challenge' },
  'POST /api/auth/passkey': { entries: ['login'], by: 'technician' },
  'POST /api/account/passkeys/begin': { none: 'nothing is kept before the passkey is sent' },
  'POST /api/account/passkeys': { entries: ['passkey.add'], by: 'technician' },
  'DELETE /api/account/passkeys/:id': { entries: ['passkey.remove'], by: 'technician' },
  'POST /api/auth/phone-link': { entries: ['login'], by: 'somebody' },
  'POST /api/auth/phone-link/owner': { none: 'only reads whose link it is' },
  'POST /api/auth/oidc/handover': { none: 'the sign-in that it hands over is an entry already' },
  'POST /api/auth/refresh': { none: 'the same session goes on' },
  'POST /api/auth/complete-registration': { entries: ['user.register'], by: 'somebody' },
  'POST /api/auth/request-password-reset': { none: MAIL_REASON },
  'POST /api/auth/resend-verification': { none: MAIL_REASON },
  'POST /api/auth/reset-password': { entries: ['password.reset'], by: 'somebody' },
  'GET /api/auth/verify-email/:token': { entries: ['email.verify'], by: 'somebody' },

  'PUT /api/account/password': { entries: ['account.password'], by: 'somebody' },
  'PUT /api/account/email': { none: MAIL_REASON },
  'PUT /api/account/language': { none: OWN_SETTING_REASON },
  'POST /api/account/phone-link': { entries: ['user.phone'], by: 'somebody' },
  'POST /api/account/sign-out-everywhere': { entries: ['account.signout'], by: 'somebody' },
  'GET /api/account/export': { entries: ['export'], by: 'somebody' },

  'POST /api/check-ins': { entries: ['check-in.start'], by: 'somebody' },
  'POST /api/check-ins/:id/ok': { entries: ['check-in.ok'], by: 'technician' },
  'POST /api/check-ins/:id/help': { entries: ['check-in.help'], by: 'technician' },
  'POST /api/check-ins/:id/end': { entries: ['check-in.end'], by: 'technician' },
  'PUT /api/admin/check-ins/settings': expectEntries('check-in.settings'),

  'POST /api/notifications/register-device': {
    none: 'each visit registers again; the sign-in before it is an entry',
  },
  'PUT /api/notifications/device-token': { none: 'the same device with another token' },
  'DELETE /api/notifications/unregister-device': { none: 'an app’s own device, at each sign-out' },
  'DELETE /api/notifications/devices/:id': expectEntries('device.remove'),
  'POST /api/notifications/tests': { none: 'a test of your device' },
  'POST /api/notifications/tests/:id/heard': { none: 'a test of your device' },
  'PUT /api/notifications/preferences/:id': { none: OWN_SETTING_REASON },
  'PUT /api/notifications/preferences/global/:topicId': { none: OWN_SETTING_REASON },
  'PUT /api/notifications/quiet-hours': { none: OWN_SETTING_REASON },
  'POST /api/notifications/receipts': { none: RECEIPT_REASON },

  'POST /api/admin/users': expectEntries('user.add'),
  'POST /api/admin/import': expectEntries('user.add', 'user.import'),
  'PUT /api/admin/users/:id': expectEntries('user.change'),
  'PUT /api/admin/users/:id/role': expectEntries('user.role'),
  'PUT /api/admin/users/:id/language': expectEntries('user.change'),
  'PUT /api/admin/users/:id/auditor': expectEntries('user.auditor'),
  'POST /api/admin/users/:id/suspend': expectEntries('user.suspend'),
  'POST /api/admin/users/:id/reinstate': expectEntries('user.reinstate'),
  'POST /api/admin/users/:id/phone-link': expectEntries('user.phone'),
  'DELETE /api/admin/users/:id': expectEntries('user.delete'),
  'POST /api/admin/subscriptions': expectEntries('subscription.add'),
  'DELETE /api/admin/subscriptions': expectEntries('subscription.remove'),
  'POST /api/admin/topics/:id/subscribers': expectEntries('subscription.add'),
  'DELETE /api/admin/topics/:id/subscribers': expectEntries('subscription.remove'),
  'POST /api/admin/topics': expectEntries('topic.add'),
  'PUT /api/admin/topics/:id': expectEntries('topic.change'),
  'DELETE /api/admin/topics/:id': expectEntries('topic.delete'),
  'PUT /api/admin/topics/:id/senders': expectEntries('sender.add'),
  'POST /api/admin/topics/:id/teams': expectEntries('team.subscribe'),
  'DELETE /api/admin/topics/:id/teams': expectEntries('team.unsubscribe'),
  'POST /api/admin/teams': expectEntries('team.add'),
  'PUT /api/admin/teams/:id': expectEntries('team.change'),
  'DELETE /api/admin/teams/:id': expectEntries('team.delete'),
  'POST /api/admin/teams/:id/members': expectEntries('team.join'),
  'DELETE /api/admin/teams/:id/members': expectEntries('team.leave'),
  'POST /api/admin/topics/:id/keys': expectEntries('key.add'),
  'DELETE /api/admin/keys/:id': expectEntries('key.revoke'),
  'GET /api/heartbeat/:name': expectEntries('heartbeat.add'),
  'POST /api/heartbeat/:name': { none: 'the first, and the end of silence, are entries; not each' },
  'PUT /api/admin/heartbeats/:id': expectEntries('heartbeat.pause'),
  'DELETE /api/admin/heartbeats/:id': expectEntries('heartbeat.delete'),
  'DELETE /api/admin/devices/:id': expectEntries('device.remove'),
  'POST /api/admin/reach/tests': expectEntries('reach.test'),

  'POST /api/admin/messages': expectEntries('message.send'),
  'POST /api/admin/notifications/send-topic/:topicId': expectEntries('message.send'),
  'POST /api/admin/messages/audience': { none: 'counts, and changes nothing' },
  'POST /api/admin/messages/:id/repeat': expectEntries('message.repeat'),
  'POST /api/admin/messages/:id/cancel': expectEntries('message.cancel'),
  'POST /api/admin/messages/:id/correct': expectEntries('message.correct'),
  'POST /api/admin/messages/:id/all-clear': expectEntries('message.clear'),
  'POST /api/admin/messages/:id/release': expectEntries('message.release'),
  'POST /api/sending/messages': expectEntries('message.send'),
  'POST /api/sending/audience': { none: 'counts, and changes nothing' },
  'POST /api/sending/messages/:id/repeat': expectEntries('message.repeat'),
  'POST /api/sending/messages/:id/correct': expectEntries('message.correct'),
  'POST /api/sending/messages/:id/all-clear': expectEntries('message.clear'),
  'POST /api/sending/messages/:id/cancel': expectEntries('message.cancel'),
  'GET /api/admin/messages/:id/recipients.csv': expectEntries('export'),
  'GET /api/sending/messages/:id/recipients.csv': expectEntries('export'),
  'POST /api/publish': expectEntries('message.send'),
  'PUT /api/publish': expectEntries('message.send'),
  'POST /api/publish/:topic': expectEntries('message.send'),
  'PUT /api/publish/:topic': expectEntries('message.send'),
  'POST /api/hooks/alertmanager': expectEntries('message.send'),
  'POST /api/hooks/grafana': { none: 'its example is the alert that Alertmanager told of before' },

  'POST /api/admin/templates': expectEntries('template.add'),
  'PUT /api/admin/templates/:id': expectEntries('template.change'),
  'DELETE /api/admin/templates/:id': expectEntries('template.delete'),
  'POST /api/admin/policies': expectEntries('policy.add'),
  'PUT /api/admin/policies/:id': expectEntries('policy.change'),
  'DELETE /api/admin/policies/:id': expectEntries('policy.delete'),
  'POST /api/admin/webhooks': expectEntries('webhook.add'),
  'POST /api/admin/webhooks/:id/test': expectEntries('webhook.test'),
  'DELETE /api/admin/webhooks/:id': expectEntries('webhook.delete'),
  'GET /api/admin/audit.csv': expectEntries('export'),
  'GET /api/admin/insights.csv': expectEntries('export'),
};
