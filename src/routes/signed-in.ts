import { Settings } from '../screens/notifications/Settings';
import type { SignedInRoute } from '../screens/shell/routing';

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
