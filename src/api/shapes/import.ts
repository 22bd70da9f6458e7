/** Imports and invitations, checked as `shapes.ts` says. A file of its own: few screens ask for them. */
import type { Imported, Invitation, InvitationPage } from '../../shared/contract';
import { anyTime, like, type Check } from '../shapes';

const anInvitation: Invitation = {
  id: 0,
  username: '',
  email: null,
  registrationLink: '',
  expiresAt: anyTime,
  mail: 'none',
  openedAt: null,
  importedAt: null,
};
export const imported = like<Imported>({
  rows: 0,
  created: 0,
  subscribed: 0,
  unchanged: 0,
  errors: [{ line: 0, message: '' }],
  links: [anInvitation],
});
const somePage = like<InvitationPage>({
  invitations: [anInvitation],
  pending: 0,
  withoutEmail: 0,
  newest: null,
  total: 0,
  page: 1,
  limit: 10,
});
const newest = like({
  importedAt: anyTime,
  people: 0,
  registered: 0,
  mails: { waiting: 0, sent: 0, failed: 0 },
});
export const invitationPage: Check<InvitationPage> = (answer) => {
  if (!somePage(answer)) return false;
  const told = (answer as InvitationPage).newest;
  return told == null || newest(told);
};
