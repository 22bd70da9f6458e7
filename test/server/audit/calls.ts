/**
 * The audit entries that each changing call leaves, or why it leaves none. The completeness test
 * fails for a missing call.
 */
import type { AuditAction } from '../../../src/shared/audit-actions';
import type { Endpoint } from '../../../src/shared/contract';

interface Leaves {
  /** In order, for its example. */
  entries: readonly AuditAction[];
  /** The author, where the caller is not signed in. */
  by?: 'technician' | 'somebody';
}
type Row = Leaves | { none: string };
type Changing = Exclude<Endpoint, `GET ${string}`>;
/** Reads that change something or export data. */
type Asking =
  | 'GET /api/auth/verify-email/:token'
  | 'GET /api/heartbeat/:name'
  | 'GET /api/account/export'
  | 'GET /api/admin/messages/:id/recipients.csv'
  | 'GET /api/sending/messages/:id/recipients.csv'
  | 'GET /api/admin/audit.csv'
  | 'GET /api/admin/insights.csv';

const leaves = (...entries: AuditAction[]): Leaves => ({ entries });
const OWN = 'a person’s own setting, changed many times a day, which grants no rights';
const RECEIPT = 'what a device or person says of a message is in its list of recipients';
const MAIL = 'asks for a mail, which changes nothing; what its link does is an entry';

export const CALLS: Record<Changing | Asking, Row> = {
  'POST /api/auth/login': { entries: ['login'], by: 'technician' },
  'POST /api/auth/second-factor': { entries: ['totp.recovery', 'login'], by: 'somebody' },
  'POST /api/auth/second-factor/begin': { none: 'nothing is kept before it is confirmed' },
  'POST /api/auth/second-factor/confirm': { entries: ['totp.on', 'login'], by: 'somebody' },
  'POST /api/account/second-factor/begin': { none: 'nothing is kept before it is confirmed' },
  'POST /api/account/second-factor/confirm': leaves('totp.on'),
  'POST /api/account/second-factor/recovery-codes': leaves('totp.codes'),
  'DELETE /api/account/second-factor': leaves('totp.off'),
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
  'POST /api/auth/request-password-reset': { none: MAIL },
  'POST /api/auth/resend-verification': { none: MAIL },
  'POST /api/auth/reset-password': { entries: ['password.reset'], by: 'somebody' },
  'GET /api/auth/verify-email/:token': { entries: ['email.verify'], by: 'somebody' },

  'PUT /api/account/password': { entries: ['account.password'], by: 'somebody' },
  'PUT /api/account/email': { none: MAIL },
  'PUT /api/account/language': { none: OWN },
  'POST /api/account/phone-link': { entries: ['user.phone'], by: 'somebody' },
  'POST /api/account/sign-out-everywhere': { entries: ['account.signout'], by: 'somebody' },
  'GET /api/account/export': { entries: ['export'], by: 'somebody' },

  'POST /api/check-ins': { entries: ['check-in.start'], by: 'somebody' },
  'POST /api/check-ins/:id/ok': { entries: ['check-in.ok'], by: 'technician' },
  'POST /api/check-ins/:id/help': { entries: ['check-in.help'], by: 'technician' },
  'POST /api/check-ins/:id/end': { entries: ['check-in.end'], by: 'technician' },
  'PUT /api/admin/check-ins/settings': leaves('check-in.settings'),

  'POST /api/notifications/register-device': {
    none: 'each visit registers again; the sign-in before it is an entry',
  },
  'PUT /api/notifications/device-token': { none: 'the same device with another token' },
  'DELETE /api/notifications/unregister-device': { none: 'an app’s own device, at each sign-out' },
  'DELETE /api/notifications/devices/:id': leaves('device.remove'),
  'POST /api/notifications/tests': { none: 'a test of your device' },
  'POST /api/notifications/tests/:id/heard': { none: 'a test of your device' },
  'PUT /api/notifications/preferences/:id': { none: OWN },
  'PUT /api/notifications/preferences/global/:topicId': { none: OWN },
  'PUT /api/notifications/quiet-hours': { none: OWN },
  'POST /api/notifications/receipts': { none: RECEIPT },

  'POST /api/admin/users': leaves('user.add'),
  'POST /api/admin/import': leaves('user.add', 'user.import'),
  'PUT /api/admin/users/:id': leaves('user.change'),
  'PUT /api/admin/users/:id/role': leaves('user.role'),
  'PUT /api/admin/users/:id/language': leaves('user.change'),
  'PUT /api/admin/users/:id/auditor': leaves('user.auditor'),
  'POST /api/admin/users/:id/suspend': leaves('user.suspend'),
  'POST /api/admin/users/:id/reinstate': leaves('user.reinstate'),
  'POST /api/admin/users/:id/phone-link': leaves('user.phone'),
  'DELETE /api/admin/users/:id': leaves('user.delete'),
  'POST /api/admin/subscriptions': leaves('subscription.add'),
  'DELETE /api/admin/subscriptions': leaves('subscription.remove'),
  'POST /api/admin/topics/:id/subscribers': leaves('subscription.add'),
  'DELETE /api/admin/topics/:id/subscribers': leaves('subscription.remove'),
  'POST /api/admin/topics': leaves('topic.add'),
  'PUT /api/admin/topics/:id': leaves('topic.change'),
  'DELETE /api/admin/topics/:id': leaves('topic.delete'),
  'PUT /api/admin/topics/:id/senders': leaves('sender.add'),
  'POST /api/admin/topics/:id/teams': leaves('team.subscribe'),
  'DELETE /api/admin/topics/:id/teams': leaves('team.unsubscribe'),
  'POST /api/admin/teams': leaves('team.add'),
  'PUT /api/admin/teams/:id': leaves('team.change'),
  'DELETE /api/admin/teams/:id': leaves('team.delete'),
  'POST /api/admin/teams/:id/members': leaves('team.join'),
  'DELETE /api/admin/teams/:id/members': leaves('team.leave'),
  'POST /api/admin/topics/:id/keys': leaves('key.add'),
  'DELETE /api/admin/keys/:id': leaves('key.revoke'),
  'GET /api/heartbeat/:name': leaves('heartbeat.add'),
  'POST /api/heartbeat/:name': { none: 'the first, and the end of silence, are entries; not each' },
  'PUT /api/admin/heartbeats/:id': leaves('heartbeat.pause'),
  'DELETE /api/admin/heartbeats/:id': leaves('heartbeat.delete'),
  'DELETE /api/admin/devices/:id': leaves('device.remove'),
  'POST /api/admin/reach/tests': leaves('reach.test'),

  'POST /api/admin/messages': leaves('message.send'),
  'POST /api/admin/notifications/send-topic/:topicId': leaves('message.send'),
  'POST /api/admin/messages/audience': { none: 'counts, and changes nothing' },
  'POST /api/admin/messages/:id/repeat': leaves('message.repeat'),
  'POST /api/admin/messages/:id/cancel': leaves('message.cancel'),
  'POST /api/admin/messages/:id/correct': leaves('message.correct'),
  'POST /api/admin/messages/:id/all-clear': leaves('message.clear'),
  'POST /api/admin/messages/:id/release': leaves('message.release'),
  'POST /api/sending/messages': leaves('message.send'),
  'POST /api/sending/audience': { none: 'counts, and changes nothing' },
  'POST /api/sending/messages/:id/repeat': leaves('message.repeat'),
  'POST /api/sending/messages/:id/correct': leaves('message.correct'),
  'POST /api/sending/messages/:id/all-clear': leaves('message.clear'),
  'POST /api/sending/messages/:id/cancel': leaves('message.cancel'),
  'GET /api/admin/messages/:id/recipients.csv': leaves('export'),
  'GET /api/sending/messages/:id/recipients.csv': leaves('export'),
  'POST /api/publish': leaves('message.send'),
  'PUT /api/publish': leaves('message.send'),
  'POST /api/publish/:topic': leaves('message.send'),
  'PUT /api/publish/:topic': leaves('message.send'),
  'POST /api/hooks/alertmanager': leaves('message.send'),
  'POST /api/hooks/grafana': { none: 'its example is the alert that Alertmanager told of before' },

  'POST /api/admin/templates': leaves('template.add'),
  'PUT /api/admin/templates/:id': leaves('template.change'),
  'DELETE /api/admin/templates/:id': leaves('template.delete'),
  'POST /api/admin/policies': leaves('policy.add'),
  'PUT /api/admin/policies/:id': leaves('policy.change'),
  'DELETE /api/admin/policies/:id': leaves('policy.delete'),
  'POST /api/admin/webhooks': leaves('webhook.add'),
  'POST /api/admin/webhooks/:id/test': leaves('webhook.test'),
  'DELETE /api/admin/webhooks/:id': leaves('webhook.delete'),
  'GET /api/admin/audit.csv': leaves('export'),
  'GET /api/admin/insights.csv': leaves('export'),
};
