import { useEffect, useLayoutEffect, useRef, useState, type ComponentType } from 'react';
import { Route, useLocation } from 'wouter';
import { valueIfSoon } from '../../platform/pause';
import { noteMovedButtons } from '../../platform/second-tap';
import { listenToClicks, onWorkerMessage } from '../../platform/worker';
import type { WorkerMessage } from '../../shared/push-message';
import { hasNewVersion } from '../../state/app-version';
import { watchInstallation } from '../../platform/install/install';
import { registerIfAllowed, startInBackground } from '../../state/device/registration';
import { otherLanguage } from '../../state/language-at-sign-in';
import { isAdmin } from '../../state/session';
import { loadTopics, refreshTopics, areTopicsShown } from '../../state/subscriptions/load-topics';
import { Boundary } from '../../ui/Boundary';
import { retryUntilLoaded, whenIdle } from '../../ui/when-idle';
import { clearNotices, Notices } from '../../ui/notices';
import { preloadNewMessages } from '../notifications/Settings';
import { type RouteLoaders, type ShellRoute, useRoutes } from './routing';
import type { ShellFooterProps } from './ShellFooter';
import { StatusBar } from './StatusBar';
import { TopBar } from './TopBar';

watchInstallation();

/** What every signed-in person sees. A fault in it is reported and can be left. */
export function Shell({
  routes,
  granted,
}: {
  routes: readonly ShellRoute[];
  granted: RouteLoaders;
}) {
  const [onPainted, draw] = useState<() => void>();
  useLayoutEffect(() => startFirstScreen((tell) => draw(() => tell)), []);
  return (
    <Boundary>
      {onPainted && <Frame routes={routes} granted={granted} onPainted={onPainted} />}
    </Boundary>
  );
}

/**
 * Draws once, with all kept data, and asks the server after painting: on a slow phone each drawing
 * takes 100 ms, each request 10.
 */
function startFirstScreen(draw: (onPainted: () => void) => void): void {
  clearNotices(); // of a session before, whatever was said after its end
  const languageChange = otherLanguage();
  if (languageChange) void languageChange.then((startsAgain) => startsAgain || loadAndDraw(draw));
  else loadAndDraw(draw);
}

function loadAndDraw(draw: (onPainted: () => void) => void): void {
  if (isAdmin.value) return draw(doNothing);
  const inbox = preloadNewMessages();
  void loadTopics(false, async (isKept) => {
    if (!isKept) return draw(doNothing);
    await valueIfSoon(inbox);
    await new Promise<void>(draw);
  });
}

const doNothing = () => {};

interface FrameProps {
  routes: readonly ShellRoute[];
  granted: RouteLoaders;
  /** Called once the screen is painted. */
  onPainted: () => void;
}

function Frame({ routes, granted, onPainted }: FrameProps) {
  const [path, navigate] = useLocation();
  const { shown, home, routeAt, isComplete } = useRoutes(routes, granted);
  const currentRoute = routeAt(path);
  /** Loads with the inbox after the first screen, and keeps the inbox fresh. */
  const [Foot, setFoot] = useState<ComponentType<ShellFooterProps>>();
  /** Kept data is enough to begin: the server's response may take long. */
  const [begun, setBegun] = useState(false);
  if (!begun && (isAdmin.value || areTopicsShown.value)) setBegun(true);
  useEffect(() => {
    onPainted();
    const stops = [listenToClicks(), onWorkerMessage(handleWorkerMessage)];
    function handleWorkerMessage(message: WorkerMessage, reply: () => void): void {
      if (message.type === 'shown' && !message.shown.isTest) {
        void import('./announce-push').then(
          (module) => module.announcePush(message.shown),
          doNothing,
        );
        refreshTopics(); // the message may belong to a topic that is new here
      }
      // A registration in progress may have read the old subscription, so another follows.
      if (message.type === 'renewed') void registerIfAllowed().then(registerIfAllowed);
      if (message.type === 'open') {
        reply();
        if (
          location.pathname !== message.path &&
          (!isEditing() || confirm('Open the notification? You’ll lose your unsaved changes.'))
        )
          navigate(message.path);
      }
    }
    /** A pointer over a link will probably press it, so load its code. */
    function preload({ target }: Event): void {
      const to = (target as Element).closest('a')?.pathname;
      if (to) void routeAt(to)?.Screen.preload?.();
    }
    document.addEventListener('pointerover', preload);
    return () => {
      for (const stop of stops) stop();
      document.removeEventListener('pointerover', preload);
    };
  }, []);

  // These tasks can wait until the first screen is shown.
  useEffect(() => {
    if (!begun) return;
    let stop: (() => void) | undefined = doNothing;
    whenIdle(() => {
      if (stop)
        stop = retryUntilLoaded(
          () => import('./ShellFooter'),
          (module) => setFoot(() => module.ShellFooter),
        );
      void startInBackground(); // starts the worker and its downloads
    });
    return () => {
      stop?.();
      stop = undefined;
    };
  }, [begun]);

  useEffect(() => {
    // A person who types decides when to reload.
    if (hasNewVersion.value && !isEditing()) location.reload();
  }, [hasNewVersion.value]);

  // A double tap on a link must not press what the next screen has in its place.
  const shownPath = useRef(path);
  useLayoutEffect(() => {
    if (shownPath.current !== path) noteMovedButtons();
    shownPath.current = path;
  }, [path]);

  // An unknown or forbidden path leads home before it is drawn.
  useLayoutEffect(() => {
    if (!currentRoute && isComplete) navigate(home, { replace: true });
  }, [currentRoute, isComplete]);

  return (
    <>
      <a className="sr" href="#main">
        Skip to content
      </a>
      <TopBar
        routes={shown}
        home={home}
        currentRoute={currentRoute}
        path={path}
        isStarted={Foot !== undefined}
      />
      <main id="main" tabIndex={-1} className={currentRoute?.isFullWidth ? 'wide' : undefined}>
        <Boundary key={path}>
          {currentRoute && <Route path={currentRoute.path} component={currentRoute.Screen} />}
        </Boundary>
      </main>
      <StatusBar>{Foot && <Foot currentRoute={currentRoute} routes={shown} />}</StatusBar>
      <Notices above />
    </>
  );
}

/** Whether leaving would lose something: a dialog is open, or a form has changes. */
const isEditing = () =>
  document.querySelector('dialog[open], main form [type="submit"]:not([disabled])') !== null;
