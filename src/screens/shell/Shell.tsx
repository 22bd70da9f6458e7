import { untracked } from '@preact/signals-react';
import { useEffect, useLayoutEffect, useState, type ComponentType } from 'react';
import { Route, useLocation } from 'wouter';
import { listenToClicks, onWorkerMessage } from '../../platform/worker';
import type { WorkerMessage } from '../../shared/push-message';
import { updated } from '../../state/app-version';
import { watchInstallation } from '../../state/device/installation';
import { register, start } from '../../state/device/registration';
import { isAdmin, kept } from '../../state/session';
import { load, refresh } from '../../state/subscriptions/load';
import { Boundary } from '../../ui/Boundary';
import { formats, learn } from '../../ui/Day';
import { clearNotices, Notices, notify } from '../../ui/notices';
import { type ShellRoute, useRoutes } from './routing';
import { StatusBar } from './StatusBar';
import { TopBar } from './TopBar';
import { untilThere } from './until-there';

watchInstallation();

/** What everybody signed in sees. A fault in it is said, and can be left. */
export const Shell = ({ routes }: { routes: readonly ShellRoute[] }) => (
  <Boundary>
    <Frame routes={routes} />
  </Boundary>
);

/** The frame around a screen, and the routes inside it. */
function Frame({ routes }: { routes: readonly ShellRoute[] }) {
  const [path, navigate] = useLocation();
  const [own, home, routeAt] = useRoutes(routes);
  const here = routeAt(path);
  /** They come with the inbox, which they keep fresh, when the first screen is there. */
  const [Places, setPlaces] = useState<ComponentType<{ here: string | undefined }>>();
  const [begun] = useState(() =>
    untracked(async () => {
      clearNotices(); // of a session before, whatever was said after its end
      // Before anything is drawn: on a slow phone a technician's topics come 80 ms sooner.
      return isAdmin.value || load();
    }),
  );
  useEffect(() => {
    let left = false;
    const stops = [listenToClicks(), onWorkerMessage(hear)];
    function hear(message: WorkerMessage, answer: () => void): void {
      if (message.type === 'shown' && !message.shown.isTest) {
        notify(`${message.shown.title}: ${message.shown.body}`);
        refresh(); // it may come of a topic that is new here
      }
      if (message.type === 'renewed') void register().then(register); // one that is under way may have read the old one
      if (message.type === 'open') {
        answer();
        if (
          location.pathname !== message.path &&
          (!editing() ||
            confirm('Open the notification? What you typed here and did not save will be lost.'))
        )
          navigate(message.path);
      }
    }
    if (!kept.value)
      notify(
        'This browser keeps nothing. You will have to log in again after closing this page.',
        'warn',
        15_000,
      );
    void begun.then(() => {
      // Administrators have their messages beside the topics.
      if (!isAdmin.value)
        whenIdle(
          () =>
            left ||
            stops.push(
              untilThere(
                () => import('../inbox/Places'),
                (module) => setPlaces(() => module.Places),
              ),
            ),
        );
      whenIdle(() => void start()); // the worker's own start and its downloads come after what the person waits for
      if (!formats.peek()) setTimeout(() => whenIdle(learn), PAINTED_MS); // once for each page, not for each session
    });
    /** A pointer over a link, or a finger on it, is about to press it: its code can come already. */
    function preload({ target }: Event): void {
      const to = (target as Element).closest('a')?.pathname;
      if (to) void routeAt(to)?.Screen.preload?.();
    }
    document.addEventListener('pointerover', preload);
    return () => {
      left = true;
      for (const stop of stops) stop();
      document.removeEventListener('pointerover', preload);
    };
  }, []);

  useEffect(() => {
    // A page that is being typed in is not taken away: then the person says when.
    if (updated.value && !editing()) location.reload();
  }, [updated.value]);

  // A path that does not exist, or that the person may not see, leads home, before it is drawn.
  useLayoutEffect(() => {
    if (!here) navigate(home, { replace: true });
  }, [here]);

  return (
    <>
      <a className="sr" href="#main">
        Skip to content
      </a>
      <TopBar routes={own} home={home} here={here} path={path} />
      <main id="main" tabIndex={-1} className={here?.list ? 'wide' : undefined}>
        <Boundary key={path}>{here && <Route path={here.path} component={here.Screen} />}</Boundary>
      </main>
      <StatusBar here={here}>{Places && <Places here={here?.nav} />}</StatusBar>
      <Notices />
    </>
  );
}

/** Whether leaving now would lose something: a dialog is open, or a form has something to send. */
const editing = () =>
  document.querySelector('dialog[open], main form [type="submit"]:not([disabled])') !== null;

/**
 * There is idle time even between rendering and painting, which is too early for what takes long.
 */
const PAINTED_MS = 200;
/**
 * A busy phone may have no idle moment for a long time, and a tab in the background none at all.
 */
const IDLE_MS = 3000;
const whenIdle = (act: () => void) =>
  'requestIdleCallback' in window
    ? requestIdleCallback(() => act(), { timeout: IDLE_MS })
    : setTimeout(act, PAINTED_MS);
