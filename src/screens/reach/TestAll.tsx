import { connected } from '../../platform/connection';
import type { Board } from '../../state/reach/board';
import { amount } from '../../ui/lists/Pager';
import { When } from '../../ui/values/When';

/** Tests everybody's devices, and says how many are tested or when they were. */
export function TestAll({
  round,
  last,
  busy,
  onPress,
}: {
  /** The round that is under way. */
  round: Board['lastTests'] | undefined;
  last: Board['lastTests'] | undefined;
  /** One is asked for. */
  busy: boolean;
  onPress: () => void;
}) {
  return (
    <>
      <small role="status">
        {round && `Testing ${amount(round.devices, 'device')}…`}
        {!round && last && (
          <>
            Tested {amount(last.devices, 'device')} <When iso={last.at} inside />
          </>
        )}
      </small>
      <button
        type="button"
        aria-busy={busy || undefined}
        disabled={busy || !connected.value}
        onClick={onPress}
      >
        Test all devices
      </button>
    </>
  );
}
