/** What the table of routes means for the person who is signed in. */
import type { ComponentType } from 'react';
import { matchRoute, useRouter } from 'wouter';
import { isAdmin } from '../../state/session';

/** A route of the signed-in part (`src/routes.ts`) with the screen that is drawn. */
export interface ShellRoute {
  path: string;
  access?: 'admin' | 'user';
  nav: string;
  own?: string;
  list?: boolean;
  Screen: ComponentType & { preload?(): unknown };
}

/** The routes that the person may see, their home, and what finds the one that a path belongs to. */
export function useRoutes(all: readonly ShellRoute[]) {
  const { parser } = useRouter();
  const refused = isAdmin.value ? 'user' : 'admin';
  const routes = all
    .filter(({ access }) => access !== refused)
    .map((route) => (isAdmin.value ? route : { ...route, nav: route.own ?? route.nav }));
  const home = routes.find(({ access }) => access)?.path ?? '';
  const routeAt = (path: string) => routes.find((route) => matchRoute(parser, route.path, path)[0]);
  return [routes, home, routeAt] as const;
}
