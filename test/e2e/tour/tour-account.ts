import type { TourScreen } from './tour';

export const ACCOUNT_SCREENS: TourScreen[] = [
  { name: 'account', path: '/account', as: 'technician' },
  {
    name: 'account-rejected',
    path: '/account',
    as: 'technician',
    steps: [
      fakeWrongPassword,
      { field: 'Current password', text: 'not mine' },
      { field: 'New password', text: 'three-quiet' },
      'Change password',
    ],
  },
  {
    name: 'account-link-sent',
    path: '/account',
    as: 'technician',
    steps: [
      fakeSentLink,
      { field: 'New email', text: 'maya.okafor@northgrid.example' },
      { field: 'Password', text: 'a password' },
      'Send link to new email',
    ],
  },
  { name: 'account-leave', path: '/account', as: 'technician', steps: ['Sign out everywhere'] },
  { name: 'account-none', path: '/account', as: 'admin' },
];

/** Rejects every password. Runs in the page. */
function fakeWrongPassword(): void {
  const { fetch } = window;
  window.fetch = async (input, init) =>
    init?.method === 'PUT'
      ? Response.json(
          { error: [{ message: 'This is not your current password.', path: 'current' }] },
          { status: 403 },
        )
      : fetch(input, init);
}

/** Sends a link that is not opened. Runs in the page. */
function fakeSentLink(): void {
  const { fetch } = window;
  window.fetch = async (input, init) =>
    init?.method === 'PUT'
      ? Response.json({
          id: 1,
          username: 'm.okafor',
          email: 'm.okafor@northgrid.example',
          emailVerified: true,
          pendingEmail: 'maya.okafor@northgrid.example',
          role: 'TECHNICIAN',
          createdAt: '2026-11-02T08:10:00.000Z',
        })
      : fetch(input, init);
}
