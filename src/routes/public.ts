// All routes are here, in `admin.ts` and `signed-in.ts`: router, guards, navigation, the build
// and hosting rules read them. Three files keep the login form small.
import type { ComponentType } from 'react';
import { Login } from '../screens/auth/Login';

/** The page in index.html, and the default. */
export const login = { path: '/login', screen: Login };

/** `token` is the path's `:token`, or empty. */
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
    path: '/new-phone',
    load: () => import('../screens/new-phone/NewPhone').then((module) => module.NewPhone),
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
