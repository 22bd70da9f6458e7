import { useState } from 'react';
import { errorMessage } from '../../api/error';
import { applyToAllDevices } from '../../state/device/all-devices';
import { topicsShownAsOf } from '../../state/subscriptions/load-topics';
import { SWITCH_FAILED } from '../../state/subscriptions/topic-switches';
import { notify } from '../../ui/notices';
import { countedNoun } from '../../ui/lists/Pager';

/** If there are more topics, only their number is shown. */
const MAX_NAMED_TOPICS = 3;

/** Copies this device's switches to all devices. */
export function OtherDevices() {
  const [busy, setBusy] = useState(false);
  async function applyAndNotify() {
    setBusy(true);
    const { applied, failed, firstError } = await applyToAllDevices();
    if (failed.length)
      notify(explainFailures(applied, failed, errorMessage(firstError, SWITCH_FAILED)), 'bad');
    else notify('All your devices now have these settings.');
    setBusy(false);
  }
  return (
    <div className="bar">
      <small>These switches apply only to this device.</small>
      <button
        type="button"
        className="plain"
        aria-busy={busy || undefined}
        disabled={busy || topicsShownAsOf.value !== null}
        onClick={() => void applyAndNotify()}
      >
        Apply to all my devices
      </button>
    </div>
  );
}

/** If some worked, names the topics that failed. */
function explainFailures(appliedCount: number, failed: readonly string[], reason: string): string {
  if (!appliedCount || !reason) return reason;
  const names =
    failed.slice(0, MAX_NAMED_TOPICS).join(', ') + (failed.length > MAX_NAMED_TOPICS ? ', …' : '');
  return `${SWITCH_FAILED} for ${countedNoun(failed.length, 'topic')} (${names}). The settings of ${countedNoun(appliedCount, 'other topic')} now apply to all your devices.`;
}
