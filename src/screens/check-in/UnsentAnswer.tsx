import { useEffect, useRef } from 'react';
import { ownCheckIns, pressCheckIn, unsentOkAfterHelp } from '../../state/check-ins/own-check-ins';
import { notify } from '../../ui/notices';
import { timeOfDay } from '../../ui/values/When';
import { unsentTitle } from './check-in-texts';
import { useLatePress } from './use-late-press';

/** What this phone could not tell yet, where the person pressed it. Nothing if all was counted. */
export function UnsentAnswer() {
  const press = useLatePress();
  const container = useRef<HTMLDivElement>(null);
  const ok = unsentOkAfterHelp.value;
  const pressedAt = press?.at;
  useEffect(() => {
    if (pressedAt !== undefined) container.current?.scrollIntoView({ block: 'nearest' });
  }, [pressedAt]);
  if (!press) return null;
  return (
    <div ref={container} className="note" data-tone="bad" role="alert">
      {press.isUncounted ? (
        <span>
          <b>{unsentTitle(press)}</b> You pressed it at {timeOfDay(press.at)}, but we have a later
          answer from you. If you still need help, press “I need help” again.
        </span>
      ) : (
        <span>
          <b>{unsentTitle(press)}</b> You pressed it at {timeOfDay(press.at)}. Keep the app open.
          We’ll keep trying until it’s sent.
        </span>
      )}
      {!press.isUncounted && ok && (
        <p>You then pressed “I’m OK” at {timeOfDay(ok.at)}. We’ll send it right after that.</p>
      )}
      {press.isUncounted && !ownCheckIns.value?.current && (
        <button type="button" className="solid" onClick={() => void callAgain()}>
          I need help
        </button>
      )}
      {press.kind === 'help' && !ok && (
        <p>
          <b>Call for help in another way, too.</b>
        </p>
      )}
    </div>
  );
}

/** The check-in has ended, so its own button is gone. */
const callAgain = async () => notify(await pressCheckIn('help'), 'bad');
