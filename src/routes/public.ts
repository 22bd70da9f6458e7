/**
 * The routes of those who are not signed in. With `admin.ts` and `signed-in.ts` these are all routes
 * of the app: router, guards, navigation, preloading, the build and the hosts' rules read them. Three
 * files, so that the login form carries no other table.
 */
import type { ComponentType } from 'react';
import { Login } from '../screens/auth/Login';

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
    load: () => import('../screens/auth/Register').then((module) => module.Register),
  },
  {
    path: '/request-password-reset',
    load: () => import('../screens/auth/RequestReset').then((module) => module.RequestReset),
  },
  {
    path: '/reset-password/:token',
    load: () => import('../screens/auth/ResetPassword').then((module) => module.ResetPassword),
  },
  {
    path: '/verify-email/:token',
    load: () => import('../screens/auth/VerifyEmail').then((module) => module.VerifyEmail),
  },
];
