/** One's own account, and all that is kept on a person. */
import * as v from 'valibot';
import type {
  AccountExport,
  KeptDevice,
  KeptEntry,
  KeptMessage,
  KeptSent,
  KeptTopic,
  OwnAccount,
} from '../../../src/shared/contract';
import { shapeOf } from '../call';
import { role } from '../../../src/shared/contract/accounts';
import { count, id, maybeText, maybeTime, text, time, uuid } from './common';
import { deviceType } from '../../../src/shared/contract/devices';
import { lostDevice } from '../../../src/shared/contract/reach';
import { deviceTest } from '../../../src/shared/contract/tests';
import { quietRule } from '../../../src/shared/contract/quiet-hours';
import { priority } from '../../../src/shared/contract/message-fields';

const ofAccount = {
  id,
  username: text,
  email: maybeText,
  emailVerified: v.pipe(v.boolean(), v.description('Whether a link mailed to it was opened.')),
  pendingEmail: v.pipe(
    maybeText,
    v.description('One that was asked for: it counts once the link mailed to it is opened.'),
  ),
  role,
  hasPassword: v.exactOptional(
    v.pipe(v.boolean(), v.description('False for who signs in by the company alone.')),
  ),
  createdAt: time,
};
export const ownAccount = shapeOf<OwnAccount>()(v.object(ofAccount));

const pushState = v.picklist(['unreachable', 'muted', 'held', 'pending', 'failed', 'accepted']);
const topic = shapeOf<KeptTopic>()(
  v.object({ id, title: text, subscribedAt: time, enabled: v.boolean() }),
);
const device = shapeOf<KeptDevice>()(
  v.object({
    id,
    deviceType,
    userAgent: text,
    model: maybeText,
    installed: v.nullable(v.boolean()),
    pushService: text,
    createdAt: time,
    lastSeenAt: time,
    lastAcceptedAt: maybeTime,
    lastDisplayedAt: maybeTime,
    topics: v.pipe(
      v.array(v.object({ id, enabled: v.boolean() })),
      v.description('What was set for this device alone.'),
    ),
  }),
);
const message = shapeOf<KeptMessage>()(
  v.object({
    id: uuid,
    seq: id,
    title: text,
    message: text,
    topic: maybeText,
    link: maybeText,
    priority,
    createdAt: time,
    expiresAt: time,
    state: pushState,
    devices: count,
    displayedAt: maybeTime,
    readAt: maybeTime,
    acknowledgedAt: maybeTime,
    answer: maybeText,
    late: v.boolean(),
  }),
);
const sent = shapeOf<KeptSent>()(
  v.object({
    id: uuid,
    title: maybeText,
    message: text,
    topic: maybeText,
    createdAt: time,
    people: count,
  }),
);
const entry = shapeOf<KeptEntry>()(
  v.object({ at: time, action: text, target: text, detail: text, network: maybeText }),
);

export const accountExport = shapeOf<AccountExport>()(
  v.object({
    exportedAt: time,
    account: v.object({
      ...ofAccount,
      status: v.picklist(['PENDING', 'ACTIVE']),
      emailVerifiedAt: maybeTime,
      deviceLost: v.nullable(lostDevice),
      knownBrowsers: v.pipe(
        v.array(time),
        v.description('When somebody signed in last in each of them.'),
      ),
    }),
    quietHours: v.object({ timeZone: text, rules: v.array(quietRule) }),
    topics: v.array(topic),
    devices: v.array(device),
    tests: v.array(deviceTest),
    messages: v.array(message),
    sent: v.array(sent),
    audit: v.array(entry),
  }),
);
