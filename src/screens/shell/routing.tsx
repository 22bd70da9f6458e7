/** Routes for the signed-in person. */
import type { ComponentType } from 'react';
import { matchRoute, useRouter } from 'wouter';
import { isAdmin } from '../../state/session';
import type { IconName } from '../../ui/Icon';
import { lazy } from '../../ui/lazy';
import { Skeleton } from '../../ui/page';

/** The shell's view of a route (`src/routes/signed-in.ts`). */
interface Place {
  path: string;
  access?: 'admin' | 'user';
  nav: string;
  own?: string;
  list?: boolean;
  icon?: IconName;
}

export interface ShellRoute extends Place {
  Screen: ComponentType & { preload?(): unknown };
}

const waiting = <Skeleton />;

/** Adds each route's screen, loaded at once or on demand. */
export const withScreens = (
  routes: readonly (Place & ({ screen: ComponentType } | { load: () => Promise<ComponentType> }))[],
): readonly ShellRoute[] =>
  routes.map((route) => ({
    ...route,
    Screen: 'load' in route ? lazy(route.load, waiting) : route.screen,
  }));

/** The person's routes, their home, and a lookup by path. */
export function useRoutes(all: readonly ShellRoute[]) {
  const { parser } = useRouter();
  const otherAccess = isAdmin.value ? 'user' : 'admin';
  const routes = all
    .filter(({ access }) => access !== otherAccess)
    .map((route) => (isAdmin.value ? route : { ...route, nav: route.own ?? route.nav }));
  const home = routes.find(({ access }) => access)?.path ?? '';
  const routeAt = (path: string) => routes.find((route) => matchRoute(parser, route.path, path)[0]);
  return [routes, home, routeAt] as const;
}
