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
import { whenIdle } from '../../ui/idle';
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
  const [Edge, setEdge] = useState<ComponentType<{ here: ShellRoute | undefined }>>();
  const [begun] = useState(() =>
    untracked(async () => {
      clearNotices(); // of a session before, whatever was said after its end
      // Before anything is drawn: on a slow phone a technician's topics come 80 ms sooner. What is
      // kept is enough to go on: the server's answer may be long in coming.
      return isAdmin.value || new Promise<void>((go) => load(false, go).then(go));
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
    /** What comes after that for which the person waits. */
    const later = <T,>(fetch: () => Promise<T>, take: (module: T) => void) =>
      whenIdle(() => left || stops.push(untilThere(fetch, take)));
    void begun.then(() => {
      // Administrators have their messages beside the topics.
      if (!isAdmin.value)
        later(
          () => import('../inbox/Places'),
          (module) => setPlaces(() => module.Places),
        );
      later(
        () => import('./Edge'),
        (module) => setEdge(() => module.Edge),
      );
      whenIdle(() => void start()); // the worker's own start and its downloads
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
      <StatusBar>
        {Edge && <Edge here={here} />}
        {Places && <Places here={here?.nav} />}
      </StatusBar>
      <Notices />
    </>
  );
}

/** Whether leaving now would lose something: a dialog is open, or a form has something to send. */
const editing = () =>
  document.querySelector('dialog[open], main form [type="submit"]:not([disabled])') !== null;
