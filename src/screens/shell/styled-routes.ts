import { loadStylesheet } from '../../platform/stylesheet';
import { type ShellRoute, type SignedInRoute, withScreens } from './routing';

let stylesheetLoad: Promise<void> | undefined;
const loadAllStyles = () => (stylesheetLoad ??= loadStylesheet(ALL_STYLES));

/** `withScreens` for routes that need a right, whose styles technicians do not load. */
export const withStyledScreens = (routes: readonly SignedInRoute[]): readonly ShellRoute[] =>
  withScreens(
    routes.map((route) =>
      'load' in route
        ? {
            ...route,
            load: () => Promise.all([route.load(), loadAllStyles()]).then(([screen]) => screen),
          }
        : route,
    ),
  );
