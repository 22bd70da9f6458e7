/** Routes for the signed-in person. */
import { useEffect, useState, type ComponentType } from 'react';
import { matchRoute, useRouter } from 'wouter';
import { rights, type Right } from '../../state/rights';
import { isAdmin } from '../../state/session';
import type { IconName } from '../../ui/Icon';
import { retryUntilLoaded } from '../../ui/when-idle';
import { lazy } from '../../ui/lazy';
import { Skeleton } from '../../ui/page';

/** The shell's view of a route (`src/routes/signed-in.ts`). */
interface NavigationEntry {
  path: string;
  access?: 'admin' | 'user';
  nav: string;
  own?: string;
  right?: Right;
  place?: true;
  list?: boolean;
  icon?: IconName;
}

export interface ShellRoute extends NavigationEntry {
  Screen: ComponentType & { preload?(): unknown };
}

const waiting = <Skeleton />;

/** Adds each route's screen, loaded at once or on demand. */
export const withScreens = (
  routes: readonly (NavigationEntry &
    ({ screen: ComponentType } | { load: () => Promise<ComponentType> }))[],
): readonly ShellRoute[] =>
  routes.map((route) => ({
    ...route,
    Screen: 'load' in route ? lazy(route.load, waiting) : route.screen,
  }));

/** Loads the routes of a right. Those of other rights come with them, or with everyone's. */
export type RouteLoaders = Partial<Record<Right, () => Promise<readonly ShellRoute[]>>>;

/** The routes of the person's rights, kept if a right is lost; undefined until they are loaded. */
function useGranted(granted: RouteLoaders): readonly ShellRoute[] | undefined {
  const held = rights.value;
  const wanted = held.filter((right) => granted[right]);
  const [routes, setRoutes] = useState<readonly ShellRoute[]>();
  useEffect(() => {
    if (wanted.every((right) => routes?.some((route) => route.right === right))) return undefined;
    return retryUntilLoaded(
      () => Promise.all(wanted.map((right) => granted[right]?.() ?? [])),
      (loaded) => setRoutes(loaded.flat()),
    );
  }, [held]);
  return routes ?? (wanted.length > 0 ? undefined : []);
}

/** The person's routes, those in the navigation, their home, and a lookup by path. */
export function useRoutes(all: readonly ShellRoute[], granted: RouteLoaders) {
  const { parser } = useRouter();
  const more = useGranted(granted);
  const otherAccess = isAdmin.value ? 'user' : 'admin';
  const own = all
    .filter(({ access }) => access !== otherAccess)
    .map((route) => (isAdmin.value ? route : { ...route, nav: route.own ?? route.nav }));
  const start = own.findIndex(({ access }) => access);
  const home = own[start]?.path ?? '';
  const routes = [...own.slice(0, start), ...(more ?? []), ...own.slice(start)];
  const shown = routes.filter(({ right }) => !right || rights.value.includes(right));
  const routeAt = (path: string) => routes.find((route) => matchRoute(parser, route.path, path)[0]);
  return { shown, home, routeAt, isComplete: more !== undefined };
}
