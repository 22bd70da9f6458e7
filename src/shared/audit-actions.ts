/**
 * What the audit log has entries of, and what people call it. The server stores the words with each
 * entry, so that they are found; the app shows them. A line is never taken away: entries stay.
 */
export const AUDIT_ACTIONS = {
  login: 'Signed in',
  'login.failed': 'Sign-in refused',
  'user.add': 'User added',
  'user.import': 'Users imported',
  'user.register': 'Registration completed',
  'user.role': 'Role changed',
  'user.delete': 'User deleted',
  'invitation.send': 'Invitation sent',
  'email.verify': 'E-mail verified',
  'password.reset': 'Password reset',
  'account.password': 'Password changed',
  'account.email': 'E-mail changed',
  'account.signout': 'Signed out everywhere',
  'account.link': 'Company sign-in linked',
  'account.unlink': 'Company sign-in unlinked',
  'totp.on': 'Second factor switched on',
  'totp.off': 'Second factor switched off',
  'totp.reset': 'Second factor removed',
  'totp.recovery': 'Recovery code used',
  'totp.codes': 'Recovery codes made',
  'subscription.add': 'Subscribed',
  'subscription.remove': 'Unsubscribed',
  'topic.add': 'Topic added',
  'topic.change': 'Topic changed',
  'topic.delete': 'Topic deleted',
  'message.send': 'Message sent',
  'message.repeat': 'Notify again requested',
  'message.cancel': 'Message cancelled',
  'message.resolve': 'Alert resolved',
  'template.add': 'Template added',
  'template.change': 'Template changed',
  'template.delete': 'Template deleted',
  'policy.add': 'Policy added',
  'policy.change': 'Policy changed',
  'policy.delete': 'Policy deleted',
  'webhook.add': 'Webhook added',
  'webhook.test': 'Webhook test started',
  'webhook.delete': 'Webhook deleted',
  'key.add': 'Key made',
  'key.revoke': 'Key revoked',
  'key.limit': 'Key over its limit',
  'device.remove': 'Device removed',
  'reach.test': 'Devices tested',
  export: 'Exported',
  'settings.change': 'Settings changed',
  'secret.change': 'Another secret allowed',
  'backup.make': 'Backup made',
  'backup.restore': 'Backup restored',
  'backup.move': 'Copied into PostgreSQL',
} as const;

export type AuditAction = keyof typeof AUDIT_ACTIONS;

/** What people call an action; one that a newer server knows is shown as it is. */
export const describeAction = (action: string): string =>
  (AUDIT_ACTIONS as Partial<Record<string, string>>)[action] ?? action;
