import { isConnected } from '../../platform/connection';
import { CHECK_IN_PAGE } from '../../shared/check-in-page';
import { hasNewVersion } from '../../state/app-version';
import { inboxSummary } from '../../state/inbox/inbox-summary';
import { registerIfAllowed } from '../../state/device/registration';
import { listShownAsOf } from '../../state/shown-as-of';
import {
  loadTopics,
  topicsLoading,
  topicsShownAsOf,
  unreachableReason,
} from '../../state/subscriptions/load-topics';
import { savedTopics } from '../../state/subscriptions/cached-topics';
import { Failure } from '../../ui/page';
import type { ShellRoute } from './routing';
import { dateFormats } from '../../ui/values/Day';
import { Moment } from '../../ui/values/When';
import { PAINT_DELAY_MS, whenIdle } from '../../ui/when-idle';
import { createFormats } from '../../ui/values/create-formats';

// Date formats are created once per page: that takes long on a slow phone.
if (!dateFormats.peek()) setTimeout(() => whenIdle(createFormats), PAINT_DELAY_MS);

/** Rare notices at the bottom edge. Loaded early: later there may be no network. */
export const StatusMessages = ({ currentRoute }: { currentRoute: ShellRoute | undefined }) => (
  <>
    {hasNewVersion.value && <NewVersion />}
    {currentRoute?.access !== 'admin' && <Trouble path={currentRoute?.path} />}
    <Offline currentRoute={currentRoute} />
  </>
);

function NewVersion() {
  return (
    <div className="note bar" role="status">
      <span>A new version of the app is available. Finish what you’re writing, then reload.</span>
      <button type="button" className="plain" onClick={() => location.reload()}>
        Reload
      </button>
    </div>
  );
}

/** Nothing may cover the buttons of an urgent message or a check-in, which says this itself. */
const ANSWER_PATHS = ['/messages/:id', CHECK_IN_PAGE];

/** A failure of shown topics, or of this device. Offline, the strip says enough. */
function Trouble({ path = '' }: { path: string | undefined }) {
  const state = topicsLoading.value;
  if (topicsShownAsOf.value !== null) return null;
  if (state.kind === 'failed')
    return savedTopics.value.length ? (
      <Failure retry={() => void loadTopics()}>{state.message}</Failure>
    ) : null;
  if (!unreachableReason.value || ANSWER_PATHS.includes(path)) return null;
  return (
    <Failure retry={() => void registerIfAllowed()}>
      <b>This device isn’t reachable.</b> <span>{unreachableReason.value}</span>
    </Failure>
  );
}

/** Shows that data is old, what is queued, and why switches are disabled. */
function Offline({ currentRoute }: { currentRoute: ShellRoute | undefined }) {
  const { asOf, waiting } = inboxSummary.value;
  const hasSwitches = currentRoute?.path === '/' || currentRoute?.path === '/subscriptions';
  const isList = currentRoute?.access === 'admin' || currentRoute?.right !== undefined;
  const time = isList
    ? listShownAsOf.value
    : currentRoute?.path.startsWith('/messages')
      ? asOf
      : topicsShownAsOf.value;
  // Explains why a list failed.
  if (time === null && (!isList || isConnected.value)) return null;
  return (
    <p className="strip chip" data-tone="warn" role="status">
      Offline.
      {time !== null && (
        <>
          {' '}
          Shown as of <Moment time={time} />.{waiting}
        </>
      )}
      {hasSwitches && ' You can change the switches when you’re back online.'}
    </p>
  );
}
