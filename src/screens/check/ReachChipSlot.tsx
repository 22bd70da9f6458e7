import { readStored } from '../../platform/storage/storage';
import { permission, supported } from '../../state/device/permission';
import { summary } from '../../state/inbox/summary';
import { isAdmin } from '../../state/session';
import { lazy } from '../../ui/lazy';

const ReachChip = lazy(() => import('./ReachChip').then((module) => module.ReachChip));

/**
 * The place of what is known of this device's reach, as high as it was last: that comes after the
 * first screen, and must not move what is below. Where nobody was asked for the permission, other
 * notes say what is missing. `reach_brief` is the place beside a heading.
 */
export function ReachChipSlot({ name }: { name: 'reach' | 'reach_brief' }) {
  if (!supported.value || permission.value === 'default') return null;
  return (
    <div className="reach" style={{ minHeight: readStored(name) ?? '' }}>
      {(summary.value.known || isAdmin.value) && <ReachChip name={name} />}
    </div>
  );
}
