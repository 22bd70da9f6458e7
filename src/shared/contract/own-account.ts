/** A person's own account, and the export of everything stored about them. */
import * as v from 'valibot';
import {
  newPasswordSchema,
  ownLanguageSchema,
  phoneLinkSchema,
  roleSchema,
  teamReferenceSchema,
  typedPasswordSchema,
  userStatusSchema,
} from './accounts';
import { auditEntrySchema } from './audit';
import {
  countSchema,
  withDescription,
  idSchema,
  nullableTimestampSchema,
  withExamples,
  sampleText,
  timestampSchema,
  uuidSchema,
} from './common';
import type { CallTable } from './common';
import { deviceTypeSchema } from './devices';
import { emailAddressSchema } from './fields';
import { messageFields, recipientSchema } from './messages';
import { passkeySchema } from './passkeys';
import { savedHoursFields } from './quiet-hours';
import { lostDeviceSchema } from './reach';
import { sessionTokenSchema } from './sign-in';
import { checkInSchema } from './check-ins';
import { ownRightsFields, subscribedByFields } from './subscriptions';
import { topicReferenceSchema } from './topics';
import { deviceTestSchema } from './device-tests';

export const ownAccountSchema = v.object({
  id: withExamples(idSchema, 2),
  username: sampleText('m.okafor'),
  email: v.nullable(sampleText('m.okafor@northgrid.example')),
  emailVerified: withDescription(v.boolean(), 'Whether the email address is verified.'),
  pendingEmail: withDescription(
    v.nullable(v.string()),
    'The new email address that the person requested. The server emailed a link to this address. The change takes effect when the person opens that link.',
    null,
  ),
  role: withExamples(roleSchema, 'TECHNICIAN'),
  hasPassword: v.exactOptional(
    withDescription(
      v.boolean(),
      '`false` for people who can sign in only with their company account.',
      true,
    ),
  ),
  createdAt: timestampSchema,
  language: v.exactOptional(ownLanguageSchema),
  ...ownRightsFields,
});

const exportedTopicSchema = v.object({
  id: idSchema,
  title: sampleText('Storm warnings'),
  subscribedAt: timestampSchema,
  enabled: withDescription(
    v.boolean(),
    'Whether the topic is enabled on devices that have no setting for it.',
  ),
  ...subscribedByFields,
});
/** A device, without secrets. */
const exportedDeviceSchema = v.object({
  id: idSchema,
  deviceType: deviceTypeSchema,
  userAgent: sampleText('Mozilla/5.0 (Linux; Android 10; K)'),
  model: v.nullable(sampleText('SM-A047F')),
  installed: v.nullable(v.boolean()),
  pushService: withDescription(
    v.string(),
    'The origin of the device’s push endpoint, or `fcm`.',
    'https://push.example',
  ),
  createdAt: timestampSchema,
  lastSeenAt: timestampSchema,
  lastAcceptedAt: nullableTimestampSchema,
  lastDisplayedAt: nullableTimestampSchema,
  topics: withDescription(
    v.array(v.object({ id: idSchema, enabled: v.boolean() })),
    'The topics that are muted or enabled separately for this device.',
  ),
});
const { link, priority } = messageFields;
/** A message a person received, with its receipts. */
const exportedMessageSchema = v.object({
  id: uuidSchema,
  seq: withExamples(idSchema, 42),
  title: sampleText('Storm from the west'),
  message: messageFields.message,
  topic: v.nullable(sampleText('Storm warnings')),
  link,
  priority,
  createdAt: timestampSchema,
  expiresAt: timestampSchema,
  state: withExamples(
    v.picklist(['unreachable', 'muted', 'held', 'pending', 'failed', 'accepted']),
    'accepted',
  ),
  devices: withDescription(countSchema, 'Number of devices the message was sent to.'),
  displayedAt: nullableTimestampSchema,
  readAt: nullableTimestampSchema,
  acknowledgedAt: nullableTimestampSchema,
  answer: recipientSchema.entries.answer,
  comment: recipientSchema.entries.comment,
  answerRevision: recipientSchema.entries.answerRevision,
  formerAnswers: recipientSchema.entries.formerAnswers,
  late: recipientSchema.entries.late,
});
const exportedSentSchema = v.object({
  id: uuidSchema,
  title: v.nullable(v.string()),
  message: messageFields.message,
  topic: v.nullable(v.string()),
  createdAt: timestampSchema,
  people: countSchema,
});
const exportedCheckInSchema = v.object({
  ...v.omit(checkInSchema, ['alarm', 'alarmAt', 'lastAlarm', 'reminders', 'person']).entries,
  alarmPlannedAt: withDescription(
    timestampSchema,
    'When the server would send the alarm if the person did not answer. `alarms` lists the alarms that it sent.',
  ),
  alarms: withDescription(
    v.array(v.object({ sentAt: nullableTimestampSchema })),
    'The alarms that were sent, oldest first. `sentAt` is null if the message is so old that it was deleted.',
    [],
  ),
});
/** An audit entry without its actor, who may be someone else. */
const exportedEntrySchema = v.pick(auditEntrySchema, [
  'at',
  'action',
  'target',
  'detail',
  'network',
]);

/** Contains no secret. */
export const accountExportSchema = v.object({
  exportedAt: timestampSchema,
  account: v.object({
    ...ownAccountSchema.entries,
    status: withExamples(userStatusSchema, 'ACTIVE'),
    emailVerifiedAt: nullableTimestampSchema,
    browserLanguage: withDescription(
      ownLanguageSchema,
      'The language of the browser when the person last signed in or used the app.',
      'de',
    ),
    deviceLost: v.nullable(lostDeviceSchema),
    passkeys: withDescription(
      v.array(v.omit(passkeySchema, ['id'])),
      'The names and times of the person’s passkeys, without keys.',
    ),
    knownBrowsers: withDescription(
      v.array(timestampSchema),
      'When the person last signed in with each browser.',
    ),
  }),
  quietHours: v.object(savedHoursFields),
  teams: withDescription(v.array(teamReferenceSchema), 'The teams that the person is in.'),
  sendsTo: withDescription(
    v.array(topicReferenceSchema),
    'The topics that the person may send to, personally or as a member of a team.',
  ),
  topics: v.array(exportedTopicSchema),
  devices: v.array(exportedDeviceSchema),
  tests: v.array(deviceTestSchema),
  messages: v.array(exportedMessageSchema),
  sent: v.array(exportedSentSchema),
  checkIns: v.array(exportedCheckInSchema),
  audit: v.array(exportedEntrySchema),
});

export type OwnAccount = v.InferOutput<typeof ownAccountSchema>;
export type ExportedTopic = v.InferOutput<typeof exportedTopicSchema>;
export type ExportedDevice = v.InferOutput<typeof exportedDeviceSchema>;
export type ExportedMessage = v.InferOutput<typeof exportedMessageSchema>;
export type ExportedSent = v.InferOutput<typeof exportedSentSchema>;
export type ExportedCheckIn = v.InferOutput<typeof exportedCheckInSchema>;
export type ExportedEntry = v.InferOutput<typeof exportedEntrySchema>;
export type AccountExport = v.InferOutput<typeof accountExportSchema>;

export const ownAccountCalls = {
  'GET /api/account': { does: 'Get your account', response: ownAccountSchema },
  'PUT /api/account/password': {
    does: 'Change your password',
    more: 'Signs out all other sessions, removes all passkeys, and invalidates links that reset the password or change the email address. Your devices keep receiving notifications. Use the returned token from then on.',
    body: v.object({ current: typedPasswordSchema, password: newPasswordSchema }),
    response: sessionTokenSchema,
    errors: {
      403: 'The password is wrong.',
      429: 'You entered more than ten wrong passwords within 15 minutes.',
    },
  },
  'PUT /api/account/email': {
    does: 'Change your email address',
    more: 'Emails a link to the new address. When you open the link, your address changes, and the server sends an email to your old address. The response is the same if someone else already uses the new address. People without a password must have signed in within the last ten minutes.',
    body: v.object({
      email: withExamples(emailAddressSchema, 'maya.okafor@northgrid.example'),
      password: v.exactOptional(typedPasswordSchema),
    }),
    response: ownAccountSchema,
    errors: {
      400: 'The password is missing.',
      403: 'The password is wrong. Or you have no password and signed in more than ten minutes ago.',
      429: 'You entered more than ten wrong passwords within 15 minutes, or requested more than three links within an hour.',
    },
  },
  'PUT /api/account/language': {
    does: 'Choose your language',
    more: 'Notifications and emails use this language. Error messages use the language of the `Accept-Language` header.',
    body: v.object({ language: ownLanguageSchema }),
    response: v.object({ language: ownLanguageSchema }),
  },
  'POST /api/account/phone-link': {
    does: 'Create a sign-in link for your new phone',
    more: 'The link is valid for ten minutes. Your previous link stops working.',
    response: phoneLinkSchema,
    errors: {
      409: 'You are an administrator, or everyone has to sign in with their company account.',
      429: 'You created more than ten links within an hour.',
    },
  },
  'POST /api/account/sign-out-everywhere': {
    does: 'Sign out everywhere',
    more: 'Ends all your sessions, and removes all your devices and passkeys. To stay signed in here, use the returned token.',
    response: sessionTokenSchema,
  },
  'GET /api/account/export': {
    does: 'Download all data stored about you',
    more: 'The file contains no passwords, tokens or keys.',
    response: accountExportSchema,
    errors: { 429: 'You downloaded your data more than five times within an hour.' },
  },
} satisfies CallTable;
