/** Who may do what. A route names its action; `http/access/caller.ts` looks it up here. */
import type { UserRow } from './db/schema';

/**
 * `user` is anyone signed in, `sender` a person who may send to a topic but is not an
 * administrator, `device` a device's key, `key` a topic key. An auditor has any role, and may only
 * read.
 */
export type CallerKind =
  | 'anyone'
  | 'user'
  | 'sender'
  | 'admin-or-sender'
  | 'admin-or-auditor'
  | 'admin'
  | 'device'
  | 'user-or-device'
  | 'key';

export const permissions = {
  'health.read': 'anyone',
  'api.read': 'anyone',
  // A scraper's token allows reading the metrics, too.
  'metrics.read': 'admin',

  'sessions.create': 'anyone',
  'sessions.renew': 'user',
  'passwords.reset': 'anyone',
  'registrations.complete': 'anyone',

  'account.read': 'user',
  'account.change': 'user',
  'account.export': 'user',
  'passkeys.read': 'user',
  'passkeys.change': 'user',
  'two-factor.read': 'admin',
  'two-factor.change': 'admin',

  'inbox.read': 'user',
  'receipts.write': 'user-or-device',
  'preferences.read': 'user',
  'preferences.change': 'user',
  'check-ins.own': 'user',
  'check-ins.press': 'user-or-device',
  'push-key.read': 'anyone',
  'devices.read': 'user',
  'devices.change': 'user',
  'devices.renew': 'device',
  'devices.test': 'user',

  'messages.publish': 'key',
  'heartbeats.report': 'key',
  'messages.send': 'admin',
  'messages.repeat': 'admin',
  'messages.cancel': 'admin',
  'messages.correct': 'admin',
  'messages.release': 'admin',
  'messages.read': 'admin-or-auditor',
  'messages.export': 'admin-or-auditor',

  // Senders may do this only for their topics: `http/access/sender-rights.ts` checks the topic.
  'sending.send': 'sender',
  'sending.read': 'sender',
  'sending.export': 'sender',
  'sending.repeat': 'sender',
  'sending.cancel': 'sender',
  'sending.correct': 'sender',

  // A sender may do this only if their topic gets the alarm. The route checks the topic.
  'check-ins.read': 'admin-or-sender',
  'check-ins.settings': 'admin',

  'templates.read': 'admin',
  'templates.change': 'admin',
  'policies.read': 'admin',
  'policies.change': 'admin',

  'topics.read': 'admin',
  'topics.change': 'admin',
  'subscribers.read': 'admin',
  'subscribers.change': 'admin',
  'teams.read': 'admin',
  'teams.change': 'admin',
  'senders.read': 'admin',
  'senders.change': 'admin',
  'keys.read': 'admin',
  'keys.change': 'admin',
  'heartbeats.read': 'admin',
  'heartbeats.change': 'admin',
  'webhooks.read': 'admin',
  'webhooks.change': 'admin',

  'users.read': 'admin',
  'users.change': 'admin',
  'users.invite': 'admin',
  'users.import': 'admin',
  'users.sign-out': 'admin',
  'reach.read': 'admin-or-auditor',
  'reach.test': 'admin',
  'overview.read': 'admin',
  'insights.read': 'admin-or-auditor',
  'insights.export': 'admin-or-auditor',
  'audit.read': 'admin-or-auditor',
  'audit.export': 'admin-or-auditor',
} as const satisfies Record<string, CallerKind>;

export type Action = keyof typeof permissions;
export type ActionOf<W extends CallerKind> = {
  [A in Action]: (typeof permissions)[A] extends W ? A : never;
}[Action];

/** The properties of an account that decide which actions it may perform. */
export type Rights = Pick<UserRow, 'role' | 'is_auditor'> & {
  /** Whether the person may send to a topic. This is only read for actions of senders. */
  isSender?: boolean;
};

export function mayDo({ role, is_auditor, isSender }: Rights, action: Action): boolean {
  const caller: CallerKind = permissions[action];
  switch (caller) {
    case 'anyone':
    case 'user':
    case 'user-or-device':
      return true;
    case 'sender':
      return isSender === true;
    case 'admin-or-sender':
      return role === 'ADMIN' || isSender === true;
    case 'admin-or-auditor':
      return role === 'ADMIN' || is_auditor === 1;
    case 'admin':
      return role === 'ADMIN';
    case 'device':
    case 'key':
      return false;
  }
}
