import { readStored } from '../../platform/storage/storage';
import { notificationPermission, isPushSupported } from '../../state/device/permission';
import { inboxSummary } from '../../state/inbox/inbox-summary';
import { isAdmin } from '../../state/session';
import { lazy } from '../../ui/lazy';

const ReachChip = lazy(() => import('./ReachChip').then((module) => module.ReachChip));

/**
 * Reserves the chip's last height: the chip loads after the first screen and must not move the
 * rest.
 */
export function ReachChipSlot({ name }: { name: 'reach' | 'reach_brief' }) {
  if (!isPushSupported.value || notificationPermission.value === 'default') return null;
  return (
    <div className="reach" style={{ minHeight: readStored(name) ?? '' }}>
      {(inboxSummary.value.known || isAdmin.value) && <ReachChip name={name} />}
    </div>
  );
}
