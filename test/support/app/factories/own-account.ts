import type { OwnAccount } from '../../../../src/shared/contract';

export const createAccount = (change: Partial<OwnAccount> = {}): OwnAccount => ({
  id: 7,
  username: 'm.okafor',
  email: 'm.okafor@northgrid.example',
  emailVerified: true,
  pendingEmail: null,
  role: 'TECHNICIAN',
  createdAt: '2026-11-02T08:10:00.000Z',
  ...change,
});
