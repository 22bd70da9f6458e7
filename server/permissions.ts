/** Who may do what. A route names its action; `http/access/caller.ts` looks it up here. */
import type { UserRow } from './db/schema';

/** `user` is anyone signed in, `device` a device's key, `key` a topic key. */
export type Who = 'anyone' | 'user' | 'admin' | 'device' | 'user-or-device' | 'key';

export const permissions = {
  'health.read': 'anyone',
  'api.read': 'anyone',
  // A scraper's token allows this, too.
  'metrics.read': 'admin',

  'sessions.create': 'anyone',
  'sessions.renew': 'user',
  'passwords.reset': 'anyone',
  'registrations.complete': 'anyone',

  'account.read': 'user',
  'account.change': 'user',
  'account.export': 'user',
  'second-factor.read': 'admin',
  'second-factor.change': 'admin',

  'inbox.read': 'user',
  'receipts.write': 'user-or-device',
  'preferences.read': 'user',
  'preferences.change': 'user',
  'push-key.read': 'anyone',
  'devices.read': 'user',
  'devices.change': 'user',
  'devices.renew': 'device',
  'devices.test': 'user',

  'messages.publish': 'key',
  'messages.send': 'admin',
  'messages.repeat': 'admin',
  'messages.cancel': 'admin',
  'messages.read': 'admin',
  'messages.export': 'admin',
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
  'keys.read': 'admin',
  'keys.change': 'admin',
  'webhooks.read': 'admin',
  'webhooks.change': 'admin',

  'users.read': 'admin',
  'users.change': 'admin',
  'users.invite': 'admin',
  'users.import': 'admin',
  'users.sign-out': 'admin',
  'reach.read': 'admin',
  'reach.test': 'admin',
  'overview.read': 'admin',
  'insights.read': 'admin',
  'insights.export': 'admin',
  'audit.read': 'admin',
  'audit.export': 'admin',
} as const satisfies Record<string, Who>;

export type Action = keyof typeof permissions;
export type ActionOf<W extends Who> = {
  [A in Action]: (typeof permissions)[A] extends W ? A : never;
}[Action];

export function mayDo({ role }: Pick<UserRow, 'role'>, action: Action): boolean {
  const who: Who = permissions[action];
  switch (who) {
    case 'anyone':
    case 'user':
    case 'user-or-device':
      return true;
    case 'admin':
      return role === 'ADMIN';
    case 'device':
    case 'key':
      return false;
  }
}
