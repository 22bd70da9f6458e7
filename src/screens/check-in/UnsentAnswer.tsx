import { useEffect, useRef } from 'react';
import { timeOfDay } from '../../ui/values/When';
import { unsentTitle } from './check-in-texts';
import { useLatePress } from './use-late-press';

/** What this phone could not tell yet, where the person pressed it. Nothing if all was sent. */
export function UnsentAnswer() {
  const press = useLatePress();
  const container = useRef<HTMLDivElement>(null);
  const pressedAt = press?.at;
  useEffect(() => {
    if (pressedAt !== undefined) container.current?.scrollIntoView({ block: 'nearest' });
  }, [pressedAt]);
  if (!press) return null;
  return (
    <div ref={container} className="note" data-tone="bad" role="alert">
      <span>
        <b>{unsentTitle(press)}</b> You pressed it at {timeOfDay(press.at)}. Keep the app open.
        We’ll keep trying until it’s sent.
      </span>
      {press.kind === 'help' && (
        <p>
          <b>Call for help in another way, too.</b>
        </p>
      )}
    </div>
  );
}
