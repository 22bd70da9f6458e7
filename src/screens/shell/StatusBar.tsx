import { signal } from '@preact/signals-react';
import type { ReactNode } from 'react';
import { installation } from '../../state/device/installation';
import { endsSoon } from '../../state/ends-soon';
import { lazy } from '../../ui/lazy';
import { Notices } from '../../ui/notices';

/** Most pages are installed already, or cannot be; few are open when their session ends. */
const InstallOffer = lazy(() => import('./InstallOffer').then((module) => module.InstallOffer));

const SessionEnding = lazy(() => import('./SessionEnding').then((module) => module.SessionEnding));

/** What else lies there: set by code that comes later. */
export const atEdge = signal<ReactNode>(null);

/**
 * What comes by itself while somebody reads: along the bottom edge, as anything that came above a
 * list would move its switches from under the finger that is about to tap one.
 */
export function StatusBar({ children }: { /** Below all of it. */ children: ReactNode }) {
  return (
    <div className="edge">
      <Notices />
      {installation.value !== 'none' && <InstallOffer />}
      {endsSoon.value && <SessionEnding />}
      {atEdge.value}
      {children}
    </div>
  );
}
