import { untracked } from '@preact/signals-react';
import { useEffect, useState } from 'react';
import { Route, Switch, useLocation } from 'wouter';
import { onWorkerMessage, register, start, updated, watchInstallation } from '../state/permission';
import { home, isAdmin, kept } from '../state/session';
import { load, refresh } from '../state/subscriptions';
import { Boundary } from '../ui/Boundary';
import { formats, learn } from '../ui/Day';
import { lazy } from '../ui/lazy';
import { clearNotices, Notices, say } from '../ui/notices';
import { Skeleton } from '../ui/page';
import { Foot } from './Foot';
import { Settings } from './Settings'; // not lazy: technicians, who have no other screen, get it with the shell
import { TopBar } from './TopBar';

const waiting = <Skeleton />;
const Dashboard = lazy(() => import('./Dashboard').then((module) => module.Dashboard), waiting);
const Topics = lazy(() => import('./admin').then((module) => module.Topics), waiting);
const Users = lazy(() => import('./admin').then((module) => module.Users), waiting);
const UserSubscriptions = lazy(() => import('./admin').then((module) => module.UserSubscriptions), waiting);

/** Screens whose code is fetched when it is needed, by their paths; one user's subscriptions lie below Users. */
const screens: Record<string, { preload(): unknown }> = { '/admin': Dashboard, '/admin/topics': Topics, '/admin/users': Users };

watchInstallation();

/** What everybody signed in sees around their screen, and the routes inside it. */
export function Shell() {
  const [path, navigate] = useLocation();
  const [begun] = useState(() =>
    untracked(async () => {
      clearNotices(); // of a session before, whatever was said after its end
      return isAdmin.value || load(); // before anything is drawn: on a slow phone a technician's topics come 80 ms sooner
    }),
  );
  useEffect(() => {
    const stop = onWorkerMessage((message, answer) => {
      if (message.type === 'shown') {
        say(`${message.shown.title}: ${message.shown.body}`);
        refresh(); // it may come of a topic that is new here
      }
      if (message.type === 'renewed') void register().then(register); // one that is under way may have read the old one
      if (message.type === 'open') {
        answer();
        if (location.pathname !== message.path && (!editing() || confirm('Open the notification? What you typed here and did not save will be lost.'))) navigate(message.path);
      }
    });
    if (!kept.value) say('This browser keeps nothing. You will have to log in again after closing this page.', 'warn', 15_000);
    void begun.then(() => {
      whenIdle(() => void start()); // the worker's own start and its downloads come after what the person waits for
      if (!formats.peek()) setTimeout(() => whenIdle(learn), PAINTED_MS); // once for each page, not for each session
    });
    document.addEventListener('pointerover', preload);
    return () => {
      stop();
      document.removeEventListener('pointerover', preload);
    };
  }, []);

  useEffect(() => {
    // A page that is being typed in is not taken away: then the person says when.
    if (updated.value && !editing()) location.reload();
  }, [updated.value]);

  return (
    <>
      <a className="sr" href="#main">
        Skip to content
      </a>
      <TopBar path={path} />
      <main id="main" tabIndex={-1} className={/^\/admin\/./.test(path) ? 'wide' : undefined}>
        <Boundary key={path}>
          <Switch>
            <Route path="/admin" component={Dashboard} />
            <Route path="/admin/topics" component={Topics} />
            <Route path="/admin/users" component={Users} />
            <Route path="/admin/users/:userId/subscriptions">{({ userId }) => <UserSubscriptions key={userId} />}</Route>
            <Route path="/" component={Settings} />
            <Route path="/subscriptions" component={Settings} />
            <Route>
              <Elsewhere />
            </Route>
          </Switch>
        </Boundary>
      </main>
      <Foot path={path} />
      <Notices />
    </>
  );
}

/** A path that the app does not know leads home. */
function Elsewhere() {
  const [, navigate] = useLocation();
  useEffect(() => navigate(home.value, { replace: true }), []);
  return null;
}

/** Whether leaving now would lose something: a dialog is open, or a form has something to send. */
const editing = () => document.querySelector('dialog[open], main form [type="submit"]:not([disabled])') !== null;

/** A pointer over a link, or a finger on it, is about to press it: the code behind it can come already. */
function preload({ target }: Event): void {
  const path = (target as Element).closest('a')?.pathname ?? '';
  void (screens[path] ?? (path.startsWith('/admin/users/') ? UserSubscriptions : undefined))?.preload();
}

/** There is idle time even between rendering and painting, which is too early for what takes long. */
const PAINTED_MS = 200;
/** A busy phone may have no idle moment for a long time, and a tab in the background none at all. */
const IDLE_MS = 3000;
const whenIdle = (act: () => void) => ('requestIdleCallback' in window ? requestIdleCallback(() => act(), { timeout: IDLE_MS }) : setTimeout(act, PAINTED_MS));
