import { connected } from '../../platform/connection';
import type { Audience } from '../../shared/contract';
import { FormError } from '../../ui/forms/form';
import { amount } from '../../ui/lists/Pager';
import type { Attempt } from './attempt';

export function SendBar({
  error,
  audience,
  nobody,
  later,
  busy,
  isWritten,
  isReady,
  onSendToMe,
}: {
  error: string | undefined;
  /** Undefined until it is counted. */
  audience: Audience | undefined;
  nobody: boolean;
  later: boolean;
  busy: Attempt | undefined;
  isWritten: boolean;
  isReady: boolean;
  onSendToMe: () => void;
}) {
  const online = connected.value;
  const verb = later ? 'Schedule' : 'Send';
  return (
    <div className="foot">
      <FormError id="error">{error}</FormError>
      <p className="chip offline" data-tone="warn" role="status" hidden={online}>
        {!online && 'You’re offline. Your draft is kept here. Send it when you’re back online.'}
      </p>
      <div className="bar">
        <small role="status">
          {nobody ? 'Add at least one recipient.' : audience && reachText(audience)}
        </small>
        <div>
          <button
            type="button"
            className="plain"
            aria-busy={busy === 'me' || undefined}
            disabled={!isWritten || !online || busy !== undefined}
            onClick={onSendToMe}
          >
            Send to me first
          </button>
          <button
            type="submit"
            aria-busy={busy === 'all' || undefined}
            disabled={!isReady || busy !== undefined}
          >
            {audience
              ? `${verb} ${later ? 'for' : 'to'} ${amount(audience.people, 'person')}`
              : verb}
          </button>
        </div>
      </div>
    </div>
  );
}

/** Such as `26 of 31 reachable now, 2 after quiet hours`. */
const reachText = ({ people, reachable, held }: Audience): string =>
  `${reachable.toLocaleString()} of ${people.toLocaleString()} reachable${held > 0 ? ` now, ${held.toLocaleString()} after quiet hours` : ''}`;
