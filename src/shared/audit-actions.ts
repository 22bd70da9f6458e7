import { foldCase } from './case-fold';

/** The server stores the name with each entry, for search. Never remove a line: entries stay. */
export const AUDIT_ACTIONS = {
  login: 'Signed in',
  'login.failed': 'Sign-in failed',
  'user.add': 'User added',
  'user.import': 'Users imported',
  'user.register': 'Registration completed',
  'user.change': 'User changed',
  'user.role': 'Role changed',
  'user.auditor': 'Auditor access changed',
  'user.suspend': 'User suspended',
  'user.reinstate': 'User reinstated',
  'user.phone': 'Sign-in link for a new phone created',
  'user.delete': 'User deleted',
  'invitation.send': 'Invitation sent',
  'email.verify': 'Email verified',
  'password.reset': 'Password reset',
  'account.password': 'Password changed',
  'account.email': 'Email changed',
  'account.signout': 'Signed out everywhere',
  'account.link': 'Company sign-in linked',
  'account.unlink': 'Company sign-in unlinked',
  'totp.on': 'Two-factor authentication enabled',
  'totp.off': 'Two-factor authentication disabled',
  'totp.reset': 'Two-factor authentication removed by an operator',
  'totp.recovery': 'Recovery code used',
  'totp.codes': 'Recovery codes created',
  'passkey.add': 'Passkey added',
  'passkey.remove': 'Passkey removed',
  'passkey.reset': 'Passkeys removed by an operator',
  'subscription.add': 'Subscribed',
  'subscription.remove': 'Unsubscribed',
  'team.add': 'Team added',
  'team.change': 'Team changed',
  'team.delete': 'Team deleted',
  'team.join': 'Added to team',
  'team.leave': 'Removed from team',
  'team.subscribe': 'Team subscribed',
  'team.unsubscribe': 'Team unsubscribed',
  'sender.add': 'Sender added',
  'sender.remove': 'Sender removed',
  'topic.add': 'Topic added',
  'topic.change': 'Topic changed',
  'topic.delete': 'Topic deleted',
  'message.send': 'Message sent',
  'message.repeat': 'People notified again',
  'message.withhold': 'Message withheld',
  'message.release': 'Withheld message sent',
  'message.cancel': 'Message canceled',
  'message.correct': 'Message corrected',
  'message.clear': 'All-clear sent',
  'message.resolve': 'Alert resolved',
  'check-in.start': 'Check-in started',
  'check-in.ok': 'Check-in answered',
  'check-in.help': 'Asked for help',
  'check-in.alarm': 'Check-in alarm sent',
  'check-in.clear': 'Check-in all-clear sent',
  'check-in.end': 'Check-in ended',
  'check-in.suspend': 'Check-in of a suspended user reported',
  'check-in.settings': 'Check-in settings changed',
  'heartbeat.add': 'Heartbeat added',
  'heartbeat.silent': 'Heartbeat silent',
  'heartbeat.back': 'Heartbeat received again',
  'heartbeat.pause': 'Heartbeat paused',
  'heartbeat.resume': 'Heartbeat resumed',
  'heartbeat.delete': 'Heartbeat deleted',
  'template.add': 'Template added',
  'template.change': 'Template changed',
  'template.delete': 'Template deleted',
  'policy.add': 'Policy added',
  'policy.change': 'Policy changed',
  'policy.delete': 'Policy deleted',
  'webhook.add': 'Webhook added',
  'webhook.test': 'Webhook test started',
  'webhook.delete': 'Webhook deleted',
  'key.add': 'Key created',
  'key.revoke': 'Key revoked',
  'key.limit': 'Key limit exceeded',
  'device.remove': 'Device removed',
  'reach.test': 'Devices tested',
  export: 'Exported',
  'settings.change': 'Settings changed',
  'secret.change': 'JWT_SECRET reset by an operator',
  'backup.make': 'Backup created',
  'backup.restore': 'Backup restored',
  'backup.move': 'Database copied to PostgreSQL',
} as const;

export type AuditAction = keyof typeof AUDIT_ACTIONS;

/** What a log can be narrowed down to. */
export const AUDIT_AREAS = ['accounts', 'users', 'topics', 'messages', 'setup'] as const;
export type AuditArea = (typeof AUDIT_AREAS)[number];

/** The part of an action before its dot. */
type AuditSubject = AuditAction extends infer Action
  ? Action extends `${infer Subject}.${string}`
    ? Subject
    : Action
  : never;

const AREA_BY_SUBJECT: Record<AuditSubject, AuditArea> = {
  login: 'accounts',
  email: 'accounts',
  password: 'accounts',
  account: 'accounts',
  totp: 'accounts',
  passkey: 'accounts',
  user: 'users',
  invitation: 'users',
  subscription: 'users',
  team: 'users',
  device: 'users',
  reach: 'users',
  topic: 'topics',
  key: 'topics',
  sender: 'topics',
  message: 'messages',
  'check-in': 'messages',
  heartbeat: 'topics',
  template: 'messages',
  policy: 'setup',
  webhook: 'setup',
  export: 'setup',
  settings: 'setup',
  secret: 'setup',
  backup: 'setup',
};

export const listAuditActions = (area: AuditArea): AuditAction[] =>
  (Object.keys(AUDIT_ACTIONS) as AuditAction[]).filter(
    (action) => AREA_BY_SUBJECT[action.replace(/\..*/, '') as AuditSubject] === area,
  );

/** An unknown action of a newer server keeps the server's name. */
export const describeAction = (action: string): string =>
  (AUDIT_ACTIONS as Partial<Record<string, string>>)[action] ?? action;

/**
 * The codes of actions whose name, in the app's language, contains `query`; separated by commas.
 */
export const findActionsByName = (query: string): string =>
  Object.entries(AUDIT_ACTIONS)
    .filter(([, name]) => foldCase(name).includes(foldCase(query)))
    .map(([action]) => action)
    .join();
