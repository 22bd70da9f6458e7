import type { ComponentType } from 'react';
import { Settings } from '../screens/notifications/Settings';
import type { Right } from '../state/rights';
import type { IconName } from '../ui/Icon';

/** A person's first restricted route is their home: unknown and forbidden paths lead there. */
export type SignedInRoute = {
  /** The path in wouter's syntax. Paths of administrators' screens begin with `/admin`. */
  path: string;
  /** Administrators, or everyone else (`user`); both if omitted. */
  access?: 'admin' | 'user';
  /** The icon beside the first entry of this name in the navigation. */
  icon?: IconName;
  /** The current entry in the navigation, which links to the first route that has it; or none. */
  adminLabel: string;
  /** The entry for everyone but administrators. */
  userLabel?: string;
  /** People need this right for the route. People without a right have their other routes. */
  right?: Right;
  /** The bar at the bottom of a phone shows the route, too. */
  inBottomBar?: true;
  /** Uses the whole width. */
  isFullWidth?: boolean;
} & (
  | { /** The screen, if it is in the shell's chunk. */ screen: ComponentType }
  | { /** Loads the screen on demand. */ load: () => Promise<ComponentType> }
);

/** An administrator’s menu shows these routes after the administrators’ routes. */
export const signedInRoutes: readonly SignedInRoute[] = [
  {
    path: '/messages',
    adminLabel: 'Messages',
    userLabel: 'Inbox',
    icon: 'inbox',
    load: () => import('../screens/inbox/Inbox').then((module) => module.Inbox),
  },
  {
    path: '/messages/:id',
    adminLabel: 'Messages',
    userLabel: 'Inbox',
    load: () =>
      import('../screens/inbox/InboxMessageScreen').then((module) => module.InboxMessageScreen),
  },
  // The shell's chunk contains this screen, because technicians have no other.
  { path: '/', access: 'user', adminLabel: 'Notifications', icon: 'bell', screen: Settings },
  { path: '/subscriptions', adminLabel: 'Notifications', icon: 'bell', screen: Settings },
  {
    path: '/check',
    adminLabel: 'Notifications',
    userLabel: 'Test',
    icon: 'shield',
    load: () => import('../screens/device-test/DeviceTest').then((module) => module.DeviceTest),
  },
  {
    path: '/check-in',
    right: 'check-in',
    inBottomBar: true,
    adminLabel: 'Notifications',
    userLabel: 'Check-in',
    icon: 'clock',
    load: () => import('../screens/check-in/CheckInScreen').then((module) => module.CheckInScreen),
  },
  {
    path: '/quiet-hours',
    adminLabel: 'Notifications',
    userLabel: 'Quiet hours',
    icon: 'moon',
    load: () =>
      import('../screens/quiet-hours/QuietHoursScreen').then((module) => module.QuietHoursScreen),
  },
  {
    path: '/account',
    // Administrators reach it by their name at the top.
    adminLabel: '',
    userLabel: 'Account',
    icon: 'user',
    load: () => import('../screens/account/Account').then((module) => module.Account),
  },
];
