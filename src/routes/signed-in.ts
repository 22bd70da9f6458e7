import type { ComponentType } from 'react';
import { Settings } from '../screens/notifications/Settings';

/**
 * A route of the signed-in part. The first that not everybody may see is a person's home: all that
 * they may not see, or that does not exist, leads there.
 */
export type SignedInRoute = {
  /** As wouter reads it. The administrator's own begin with /admin. */
  path: string;
  /** Administrators, or all others (`user`); both, where it is left out. */
  access?: 'admin' | 'user';
  /** The entry of the navigation that is current there. It leads to the first route that has it. */
  nav: string;
  /** The entry that it has instead for all but administrators. */
  own?: string;
  /** It takes the whole width. */
  list?: boolean;
} & (
  | { /** The screen, where it comes with the frame around it. */ screen: ComponentType }
  | { /** Fetches the screen when it is wanted. */ load: () => Promise<ComponentType> }
);

/** All others: an administrator has these behind their own. */
export const signedInRoutes: readonly SignedInRoute[] = [
  {
    path: '/messages',
    nav: 'Messages',
    load: () => import('../screens/inbox/Messages').then((module) => module.Messages),
  },
  {
    path: '/messages/:id',
    nav: 'Messages',
    load: () =>
      import('../screens/inbox/InboxMessageScreen').then((module) => module.InboxMessageScreen),
  },
  // Not fetched later: technicians, who have no other screen, get it with the frame.
  { path: '/', access: 'user', nav: 'Notifications', screen: Settings },
  { path: '/subscriptions', nav: 'Notifications', screen: Settings },
  {
    path: '/check',
    nav: 'Notifications',
    own: 'Check',
    load: () => import('../screens/check/Check').then((module) => module.Check),
  },
  {
    path: '/quiet-hours',
    nav: 'Notifications',
    own: 'Quiet hours',
    load: () =>
      import('../screens/quiet-hours/QuietHoursScreen').then((module) => module.QuietHoursScreen),
  },
  {
    path: '/account',
    nav: 'Notifications',
    own: 'Account',
    load: () => import('../screens/account/Account').then((module) => module.Account),
  },
];
