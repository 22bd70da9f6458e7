/** What the table of routes means for the person who is signed in. */
import type { ComponentType } from 'react';
import { matchRoute, useRouter } from 'wouter';
import { isAdmin } from '../../state/session';
import { lazy } from '../../ui/lazy';
import { Skeleton } from '../../ui/page';

/** What the frame has to know of a route (`src/routes/signed-in.ts`). */
interface Place {
  path: string;
  access?: 'admin' | 'user';
  nav: string;
  own?: string;
  list?: boolean;
}

/** A route with the screen that is drawn. */
export interface ShellRoute extends Place {
  Screen: ComponentType & { preload?(): unknown };
}

const waiting = <Skeleton />;

/** Routes of the table, each with its screen: there, or fetched when it is wanted. */
export const withScreens = (
  routes: readonly (Place & ({ screen: ComponentType } | { load: () => Promise<ComponentType> }))[],
): readonly ShellRoute[] =>
  routes.map((route) => ({
    ...route,
    Screen: 'load' in route ? lazy(route.load, waiting) : route.screen,
  }));

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
