/** The words for roles and states, as people read them. */
import type { NotificationStatus, Role, UserStatus } from '../shared/contract';

export const ROLES: Record<Role, string> = {
  CUSTOMER: 'Customer',
  TECHNICIAN: 'Technician',
  ADMIN: 'Admin',
};

/** In the order in which a role is chosen. */
export const ROLE_OPTIONS = Object.entries(ROLES) as [Role, string][];

export const STATUSES: Record<UserStatus, { name: string; tone: string }> = {
  PENDING: { name: 'Pending', tone: 'warn' },
  ACTIVE: { name: 'Active', tone: 'ok' },
};

export const REACH: Record<NotificationStatus, { name: string; tone?: string }> = {
  enabled: { name: 'Enabled', tone: 'ok' },
  disabled: { name: 'Disabled' },
  partial: { name: 'Partial', tone: 'warn' },
  no_devices: { name: 'No devices', tone: 'bad' },
};
