/** The names of roles and states. */
import type { NotificationStatus, Role, UserStatus } from '../shared/contract';

/** The labels have no prototype: a server's `constructor` must not match. */
const asLabels = <Words extends object>(words: Words): Words =>
  Object.assign(Object.create(null) as Words, words);

export const ROLE_NAMES: Record<Role, string> = asLabels({
  CUSTOMER: 'Customer',
  TECHNICIAN: 'Technician',
  ADMIN: 'Admin',
});

export const ROLE_OPTIONS = Object.entries(ROLE_NAMES) as [Role, string][];

export const USER_STATUSES: Record<UserStatus | 'SUSPENDED', { name: string; tone: string }> =
  asLabels({
    PENDING: { name: 'Pending', tone: 'warn' },
    ACTIVE: { name: 'Active', tone: 'ok' },
    SUSPENDED: { name: 'Suspended', tone: 'bad' },
  });

export const NOTIFICATION_STATUSES: Record<NotificationStatus, { name: string; tone?: string }> =
  asLabels({
    enabled: { name: 'Enabled', tone: 'ok' },
    disabled: { name: 'Disabled' },
    partial: { name: 'Partial', tone: 'warn' },
    no_devices: { name: 'No devices', tone: 'bad' },
  });
