import { signal } from '@preact/signals-react';
import type { ReactNode } from 'react';
import { register } from '../../state/device/registration';
import { updated } from '../../state/app-version';
import { summary } from '../../state/inbox-summary';
import { installation } from '../../state/device/installation';
import { endsSoon } from '../../state/session-end';
import { load, loading, shownAsOf, unreachable } from '../../state/subscriptions/load';
import { rows } from '../../state/subscriptions/switches';
import { Moment } from '../../ui/Day';
import { lazy } from '../../ui/lazy';
import { Failure } from '../../ui/page';
import type { ShellRoute } from './routing';

/** Most pages are installed already, or cannot be; few are open when their session ends. */
const InstallOffer = lazy(() => import('./InstallOffer').then((module) => module.InstallOffer));

const SessionEnding = lazy(() => import('./SessionEnding').then((module) => module.SessionEnding));

/** What else lies there: set by code that comes later. */
export const atEdge = signal<ReactNode>(null);

interface Props {
  /** The present route. */
  here: ShellRoute | undefined;
  /** The content below all of it. */
  children: ReactNode;
}

/**
 * What comes by itself while somebody reads: along the bottom edge, as anything that came above a
 * list would move its switches from under the finger that is about to tap one.
 */
export function StatusBar({ here, children }: Props) {
  return (
    <div className="edge">
      {installation.value !== 'none' && <InstallOffer />}
      {updated.value && <NewVersion />}
      {endsSoon.value && <SessionEnding />}
      {here?.access !== 'admin' && <Trouble />}
      {atEdge.value}
      <Offline nav={here?.nav} />
      {children}
    </div>
  );
}

function NewVersion() {
  return (
    <div className="note bar" role="status">
      <span>
        There is a new version of the app. Reload when you have finished what you are writing.
      </span>
      <button type="button" className="plain" onClick={() => location.reload()}>
        Reload
      </button>
    </div>
  );
}

/**
 * What went wrong with topics that are shown, or else with this device. Without a network the strip
 * says enough.
 */
function Trouble() {
  const state = loading.value;
  if (shownAsOf.value !== null) return null;
  if (state.is === 'failed')
    return rows.value.length ? <Failure retry={() => void load()}>{state.message}</Failure> : null;
  if (!unreachable.value) return null;
  return (
    <Failure retry={() => void register()}>
      <b>This device cannot be reached.</b> <span>{unreachable.value}</span>
    </Failure>
  );
}

/** Says that the page is not fresh, what waits, and why nothing can be switched. */
function Offline({ nav }: { nav: string | undefined }) {
  const { asOf, waiting } = summary.value;
  const time = nav === 'Messages' ? asOf : shownAsOf.value;
  if (time === null) return null;
  return (
    <p className="strip chip" data-tone="warn" role="status">
      Offline. Shown as of <Moment time={time} />.{waiting}
      {nav === 'Notifications' && ' Switches can be changed when you are connected again.'}
    </p>
  );
}
