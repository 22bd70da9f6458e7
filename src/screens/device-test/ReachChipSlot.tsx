import { useState, type ReactNode } from 'react';
import { readStored } from '../../platform/storage/storage';
import { permission, isPushSupported } from '../../state/device/permission';
import { inboxSummary } from '../../state/inbox/inbox-summary';
import { isAdmin } from '../../state/session';
import { lazy } from '../../ui/lazy';

const ReachChip = lazy(() => import('./ReachChip').then((module) => module.ReachChip));

/** Reserves the chip's last height: it loads after the first screen and must not move the rest. */
export function ReachChipSlot({
  name,
  children,
}: {
  name: 'reach' | 'reach_brief';
  /** Shown in the card, and alone while there is none. */
  children?: ReactNode;
}) {
  const [hasCard, setHasCard] = useState(false);
  if (!isPushSupported.value || permission.value === 'default') return null;
  return (
    <div className="reach" style={{ minHeight: readStored(name) ?? '' }}>
      {children && !hasCard && <span>{children}</span>}
      {(inboxSummary.value.known || isAdmin.value) && (
        <ReachChip name={name} onCard={setHasCard}>
          {children}
        </ReachChip>
      )}
    </div>
  );
}
