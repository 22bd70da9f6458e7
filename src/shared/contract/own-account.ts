/** A person's own account, and the export of everything stored about them. */
import * as v from 'valibot';
import {
  newPassword,
  ownLanguage,
  phoneLink,
  role,
  teamReference,
  typedPassword,
  userStatus,
} from './accounts';
import { auditEntry } from './audit';
import { count, withDescription, id, maybeTime, sample, text, time, uuid } from './common';
import type { CallTable } from './common';
import { deviceType } from './devices';
import { emailAddress } from './fields';
import { messageFields, recipient } from './messages';
import { passkey } from './passkeys';
import { savedHours } from './quiet-hours';
import { lostDevice } from './reach';
import { sessionToken } from './sign-in';
import { checkIn } from './check-ins';
import { ownRights, subscribedBy } from './subscriptions';
import { topicReference } from './topics';
import { deviceTest } from './device-tests';

export const ownAccount = v.object({
  id: sample(id, 2),
  username: text('m.okafor'),
  email: v.nullable(text('m.okafor@northgrid.example')),
  emailVerified: withDescription(v.boolean(), 'Whether the email address is verified.'),
  pendingEmail: withDescription(
    v.nullable(v.string()),
    'The new email address that the person requested. The server emailed a link to this address. The change takes effect when the person opens that link.',
    null,
  ),
  role: sample(role, 'TECHNICIAN'),
  hasPassword: v.exactOptional(
    withDescription(
      v.boolean(),
      '`false` for people who can sign in only with their company account.',
      true,
    ),
  ),
  createdAt: time,
  language: v.exactOptional(ownLanguage),
  ...ownRights,
});

const exportedTopic = v.object({
  id,
  title: text('Storm warnings'),
  subscribedAt: time,
  enabled: withDescription(
    v.boolean(),
    'Whether the topic is enabled on devices that have no setting for it.',
  ),
  ...subscribedBy,
});
/** A device, without secrets. */
const exportedDevice = v.object({
  id,
  deviceType,
  userAgent: text('Mozilla/5.0 (Linux; Android 10; K)'),
  model: v.nullable(text('SM-A047F')),
  installed: v.nullable(v.boolean()),
  pushService: withDescription(
    v.string(),
    'The origin of the device’s push endpoint, or `fcm`.',
    'https://push.example',
  ),
  createdAt: time,
  lastSeenAt: time,
  lastAcceptedAt: maybeTime,
  lastDisplayedAt: maybeTime,
  topics: withDescription(
    v.array(v.object({ id, enabled: v.boolean() })),
    'The topics that are muted or enabled separately for this device.',
  ),
});
const { link, priority } = messageFields;
/** A message a person received, with its receipts. */
const exportedMessage = v.object({
  id: uuid,
  seq: sample(id, 42),
  title: text('Storm from the west'),
  message: messageFields.message,
  topic: v.nullable(text('Storm warnings')),
  link,
  priority,
  createdAt: time,
  expiresAt: time,
  state: sample(
    v.picklist(['unreachable', 'muted', 'held', 'pending', 'failed', 'accepted']),
    'accepted',
  ),
  devices: withDescription(count, 'Number of devices the message was sent to.'),
  displayedAt: maybeTime,
  readAt: maybeTime,
  acknowledgedAt: maybeTime,
  answer: recipient.entries.answer,
  comment: recipient.entries.comment,
  answerRevision: recipient.entries.answerRevision,
  formerAnswers: recipient.entries.formerAnswers,
  late: recipient.entries.late,
});
const exportedSent = v.object({
  id: uuid,
  title: v.nullable(v.string()),
  message: messageFields.message,
  topic: v.nullable(v.string()),
  createdAt: time,
  people: count,
});
const exportedCheckIn = v.object({
  ...v.omit(checkIn, ['alarm', 'alarmAt', 'lastAlarm', 'reminders', 'person']).entries,
  alarmPlannedAt: withDescription(
    time,
    'When the server would send the alarm if the person did not answer. `alarms` lists the alarms that it sent.',
  ),
  alarms: withDescription(
    v.array(v.object({ sentAt: maybeTime })),
    'The alarms that were sent, oldest first. `sentAt` is null if the message is so old that it was deleted.',
    [],
  ),
});
/** An audit entry without its actor, who may be someone else. */
const exportedEntry = v.pick(auditEntry, ['at', 'action', 'target', 'detail', 'network']);

/** Contains no secret. */
export const accountExport = v.object({
  exportedAt: time,
  account: v.object({
    ...ownAccount.entries,
    status: sample(userStatus, 'ACTIVE'),
    emailVerifiedAt: maybeTime,
    browserLanguage: withDescription(
      ownLanguage,
      'The language of the browser when the person last signed in or used the app.',
      'de',
    ),
    deviceLost: v.nullable(lostDevice),
    passkeys: withDescription(
      v.array(v.omit(passkey, ['id'])),
      'The names and times of the person’s passkeys, without keys.',
    ),
    knownBrowsers: withDescription(
      v.array(time),
      'When the person last signed in with each browser.',
    ),
  }),
  quietHours: v.object(savedHours),
  teams: withDescription(v.array(teamReference), 'The teams that the person is in.'),
  sendsTo: withDescription(
    v.array(topicReference),
    'The topics that the person may send to, personally or as a member of a team.',
  ),
  topics: v.array(exportedTopic),
  devices: v.array(exportedDevice),
  tests: v.array(deviceTest),
  messages: v.array(exportedMessage),
  sent: v.array(exportedSent),
  checkIns: v.array(exportedCheckIn),
  audit: v.array(exportedEntry),
});

export type OwnAccount = v.InferOutput<typeof ownAccount>;
export type ExportedTopic = v.InferOutput<typeof exportedTopic>;
export type ExportedDevice = v.InferOutput<typeof exportedDevice>;
export type ExportedMessage = v.InferOutput<typeof exportedMessage>;
export type ExportedSent = v.InferOutput<typeof exportedSent>;
export type ExportedCheckIn = v.InferOutput<typeof exportedCheckIn>;
export type ExportedEntry = v.InferOutput<typeof exportedEntry>;
export type AccountExport = v.InferOutput<typeof accountExport>;

export const ownAccountCalls = {
  'GET /api/account': { does: 'Get your account', response: ownAccount },
  'PUT /api/account/password': {
    does: 'Change your password',
    more: 'Signs out all other sessions, removes all passkeys, and invalidates links that reset the password or change the email address. Your devices keep receiving notifications. Use the returned token from then on.',
    body: v.object({ current: typedPassword, password: newPassword }),
    response: sessionToken,
    errors: {
      403: 'The password is wrong.',
      429: 'You entered more than ten wrong passwords within 15 minutes.',
    },
  },
  'PUT /api/account/email': {
    does: 'Change your email address',
    more: 'Emails a link to the new address. When you open the link, your address changes, and the server sends an email to your old address. The response is the same if someone else already uses the new address. People without a password must have signed in within the last ten minutes.',
    body: v.object({
      email: sample(emailAddress, 'maya.okafor@northgrid.example'),
      password: v.exactOptional(typedPassword),
    }),
    response: ownAccount,
    errors: {
      400: 'The password is missing.',
      403: 'The password is wrong. Or you have no password and signed in more than ten minutes ago.',
      429: 'You entered more than ten wrong passwords within 15 minutes, or requested more than three links within an hour.',
    },
  },
  'PUT /api/account/language': {
    does: 'Choose your language',
    more: 'Notifications and emails use this language. Error messages use the language of the `Accept-Language` header.',
    body: v.object({ language: ownLanguage }),
    response: v.object({ language: ownLanguage }),
  },
  'POST /api/account/phone-link': {
    does: 'Create a sign-in link for your new phone',
    more: 'The link is valid for ten minutes. Your previous link stops working.',
    response: phoneLink,
    errors: {
      409: 'You are an administrator, or everyone has to sign in with their company account.',
      429: 'You created more than ten links within an hour.',
    },
  },
  'POST /api/account/sign-out-everywhere': {
    does: 'Sign out everywhere',
    more: 'Ends all your sessions, and removes all your devices and passkeys. To stay signed in here, use the returned token.',
    response: sessionToken,
  },
  'GET /api/account/export': {
    does: 'Download all data stored about you',
    more: 'The file contains no passwords, tokens or keys.',
    response: accountExport,
    errors: { 429: 'You downloaded your data more than five times within an hour.' },
  },
} satisfies CallTable;
