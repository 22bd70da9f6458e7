import { signal } from '@preact/signals-react';
import type { ReactNode } from 'react';
import { installation } from '../../platform/install/install';
import { sessionEndsSoon } from '../../state/session-ends-soon';
import { lazy } from '../../ui/lazy';
import { Notices } from '../../ui/notices';

/** These parts load on demand, because few pages need them. */
const InstallOffer = lazy(() => import('./InstallOffer').then((module) => module.InstallOffer));

const SessionEnding = lazy(() => import('./SessionEnding').then((module) => module.SessionEnding));

/** More content, set by code that loads later. */
export const statusBarContent = signal<ReactNode>(null);

/** At the bottom edge: above a list, notices would move its switches under a finger. */
export function StatusBar({ children }: { /** Shown below the messages. */ children: ReactNode }) {
  return (
    <div className="edge">
      {/* Open dialogs borrow the notices: the next element must not need them as its neighbor. */}
      <div style={{ display: 'contents' }}>
        <Notices />
      </div>
      {installation.value !== 'none' && <InstallOffer />}
      {sessionEndsSoon.value && <SessionEnding />}
      {statusBarContent.value}
      {children}
    </div>
  );
}
