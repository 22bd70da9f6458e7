/**
 * The one table of routes: which screen lies at which path, and who may see it. The router, the
 * guards, the navigation, preloading, the build's files and budgets, and the hosts' rules read it:
 * a new screen is an entry here, and the screen itself. The build splits this file by what reads it
 * (`src/build/app/routes.mjs`), so that the login form carries no table of the signed-in part.
 */
import type { ComponentType } from 'react';
import { Login } from './screens/auth/Login';
import { Settings } from './screens/notifications/Settings';

/** The page that the build renders into index.html, and where everything else leads at first. */
export const login = { path: '/login', screen: Login };

/** A page that needs no sign-in. Its screen gets the `:token` of the path, empty without one. */
export interface PublicRoute {
  path: string;
  load: () => Promise<ComponentType<{ token: string }>>;
}

export const publicRoutes: readonly PublicRoute[] = [
  {
    path: '/register/:token?',
    load: () => import('./screens/auth/Register').then((module) => module.Register),
  },
  {
    path: '/request-password-reset',
    load: () => import('./screens/auth/RequestReset').then((module) => module.RequestReset),
  },
  {
    path: '/reset-password/:token',
    load: () => import('./screens/auth/ResetPassword').then((module) => module.ResetPassword),
  },
  {
    path: '/verify-email/:token',
    load: () => import('./screens/auth/VerifyEmail').then((module) => module.VerifyEmail),
  },
];

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
  /** It takes the whole width. Lists with the same `nav` are in one file. */
  list?: boolean;
} & (
  | { /** The screen, where it comes with the frame around it. */ screen: ComponentType }
  | { /** Fetches the screen when it is wanted. */ load: () => Promise<ComponentType> }
);

/** Those that only administrators have. Nobody else's phone carries them. */
export const adminRoutes: readonly SignedInRoute[] = [
  {
    path: '/admin',
    access: 'admin',
    nav: 'Dashboard',
    list: true,
    load: () => import('./screens/dashboard/Dashboard').then((module) => module.Dashboard),
  },
  {
    path: '/admin/topics',
    access: 'admin',
    nav: 'Topics',
    list: true,
    load: () => import('./screens/topics/Topics').then((module) => module.Topics),
  },
  {
    path: '/admin/users',
    access: 'admin',
    nav: 'Users',
    list: true,
    load: () => import('./screens/users/Users').then((module) => module.Users),
  },
  {
    // `import` and `invitations`: one entry, as every administrator's first load has each of them.
    path: '/admin/users/:page',
    access: 'admin',
    nav: 'Users',
    load: () => import('./screens/import/Import').then((module) => module.Import),
  },
  {
    path: '/admin/users/:userId/subscriptions',
    access: 'admin',
    nav: 'Users',
    list: true,
    load: () =>
      import('./screens/user-subscriptions/UserSubscriptions').then(
        (module) => module.UserSubscriptions,
      ),
  },
  {
    path: '/admin/messages',
    access: 'admin',
    nav: 'Messages',
    list: true,
    load: () => import('./screens/sent/Sent').then((module) => module.Sent),
  },
  {
    path: '/admin/messages/new',
    access: 'admin',
    nav: 'Messages',
    load: () => import('./screens/compose/Compose').then((module) => module.Compose),
  },
  {
    path: '/admin/messages/:messageId',
    access: 'admin',
    nav: 'Messages',
    list: true,
    load: () => import('./screens/sent/message/Message').then((module) => module.Message),
  },
  {
    path: '/admin/reach',
    access: 'admin',
    nav: 'Reach',
    list: true,
    load: () => import('./screens/reach/ReachBoard').then((module) => module.ReachBoard),
  },
  {
    path: '/admin/policies',
    access: 'admin',
    nav: 'Setup',
    list: true,
    load: () => import('./screens/setup/Setup').then((module) => module.Setup),
  },
  {
    path: '/admin/webhooks',
    access: 'admin',
    nav: 'Setup',
    list: true,
    load: () => import('./screens/setup/Setup').then((module) => module.Setup),
  },
  {
    path: '/admin/audit',
    access: 'admin',
    nav: 'Setup',
    list: true,
    load: () => import('./screens/setup/Setup').then((module) => module.Setup),
  },
];

/** All others: an administrator has these behind their own. */
export const signedInRoutes: readonly SignedInRoute[] = [
  {
    path: '/messages',
    nav: 'Messages',
    load: () => import('./screens/inbox/Messages').then((module) => module.Messages),
  },
  {
    path: '/messages/:id',
    nav: 'Messages',
    load: () => import('./screens/inbox/Message').then((module) => module.Message),
  },
  // Not fetched later: technicians, who have no other screen, get it with the frame.
  { path: '/', access: 'user', nav: 'Notifications', screen: Settings },
  { path: '/subscriptions', nav: 'Notifications', screen: Settings },
  {
    path: '/check',
    nav: 'Notifications',
    own: 'Check',
    load: () => import('./screens/check/Check').then((module) => module.Check),
  },
  {
    path: '/quiet-hours',
    nav: 'Notifications',
    own: 'Quiet hours',
    load: () => import('./screens/quiet-hours/QuietHours').then((module) => module.QuietHours),
  },
  {
    path: '/account',
    nav: 'Notifications',
    own: 'Account',
    load: () => import('./screens/account/Account').then((module) => module.Account),
  },
];
