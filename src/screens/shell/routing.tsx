/** Routes for the signed-in person. */
import { useEffect, useState, type ComponentType } from 'react';
import { matchRoute, useRouter } from 'wouter';
import { ownRights, type Right } from '../../state/rights';
import { isAdmin } from '../../state/session';
import type { IconName } from '../../ui/Icon';
import { retryUntilLoaded } from '../../ui/when-idle';
import { lazy } from '../../ui/lazy';
import { Skeleton } from '../../ui/page';

/** A route in the shell. */
interface NavigationEntry {
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
}

/** A person's first restricted route is their home: unknown and forbidden paths lead there. */
export type SignedInRoute = NavigationEntry &
  (
    | { /** The screen, if it is in the shell's chunk. */ screen: ComponentType }
    | { /** Loads the screen on demand. */ load: () => Promise<ComponentType> }
  );

export interface ShellRoute extends NavigationEntry {
  Screen: ComponentType & { preload?(): unknown };
}

const skeleton = <Skeleton />;

/** Adds each route's screen, loaded at once or on demand. */
export const withScreens = (routes: readonly SignedInRoute[]): readonly ShellRoute[] =>
  routes.map((route) => ({
    ...route,
    Screen: 'load' in route ? lazy(route.load, skeleton) : route.screen,
  }));

/**
 * Loads the routes of a right. Routes of other rights come with them, or with everyone's routes.
 */
export type RouteLoaders = Partial<Record<Right, () => Promise<readonly ShellRoute[]>>>;

/** The routes of the person's rights, kept if a right is lost; undefined until they are loaded. */
function useGranted(loaders: RouteLoaders): readonly ShellRoute[] | undefined {
  const currentRights = ownRights.value;
  const wantedRights = currentRights.filter((right) => loaders[right]);
  const [routes, setRoutes] = useState<readonly ShellRoute[]>();
  useEffect(() => {
    if (wantedRights.every((right) => routes?.some((route) => route.right === right)))
      return undefined;
    return retryUntilLoaded(
      () => Promise.all(wantedRights.map((right) => loaders[right]?.() ?? [])),
      (loadedRoutes) => setRoutes(loadedRoutes.flat()),
    );
  }, [currentRights]);
  return routes ?? (wantedRights.length > 0 ? undefined : []);
}

/** The person's routes, those in the navigation, their home, and a lookup by path. */
export function useRoutes(baseRoutes: readonly ShellRoute[], loaders: RouteLoaders) {
  const { parser } = useRouter();
  const grantedRoutes = useGranted(loaders);
  const otherAccess = isAdmin.value ? 'user' : 'admin';
  const ownRoutes = baseRoutes
    .filter(({ access }) => access !== otherAccess)
    .map((route) =>
      isAdmin.value ? route : { ...route, adminLabel: route.userLabel ?? route.adminLabel },
    );
  const start = ownRoutes.findIndex(({ access }) => access);
  const home = ownRoutes[start]?.path ?? '';
  const routes = [
    ...ownRoutes.slice(0, start),
    ...(grantedRoutes ?? []),
    ...ownRoutes.slice(start),
  ];
  const shownRoutes = routes.filter(({ right }) => !right || ownRights.value.includes(right));
  const routeAt = (path: string) => routes.find((route) => matchRoute(parser, route.path, path)[0]);
  return { shown: shownRoutes, home, routeAt, isComplete: grantedRoutes !== undefined };
}
