import { isConnected } from '../../platform/connection';
import type { Audience } from '../../shared/contract';
import { FormError } from '../../ui/forms/form';
import { Icon } from '../../ui/Icon';
import { countedNoun } from '../../ui/lists/Pager';
import type { SendTarget } from './attempt';
import { OfflineDraft } from './OfflineDraft';

export function SendBar({
  error,
  audience,
  hasNoRecipients,
  later,
  isUrgent,
  busy,
  isWritten,
  isReady,
  onSendToMe,
}: {
  error: string | undefined;
  /** The audience is undefined until the server has counted the recipients. */
  audience: Audience | undefined;
  hasNoRecipients: boolean;
  later: boolean;
  isUrgent: boolean;
  busy: SendTarget | undefined;
  isWritten: boolean;
  isReady: boolean;
  onSendToMe: () => void;
}) {
  const online = isConnected.value;
  return (
    <div className="foot">
      <FormError id="error">{error}</FormError>
      <OfflineDraft />
      <div className="bar">
        <small role="status">
          {hasNoRecipients
            ? 'Add at least one recipient.'
            : audience && audienceReachText(audience)}
        </small>
        <div>
          <button
            type="button"
            className="plain"
            aria-busy={busy === 'me' || undefined}
            disabled={!isWritten || !online || busy !== undefined}
            onClick={onSendToMe}
          >
            <Icon name="device" />
            Send to me first
          </button>
          <button
            type="submit"
            className={isUrgent ? 'solid' : undefined}
            aria-busy={busy === 'all' || undefined}
            disabled={!isReady || busy !== undefined}
          >
            <Icon name="send" />
            {sendText(audience, later)}
          </button>
        </div>
      </div>
    </div>
  );
}

/** The button's label, such as `Send to 31 people`. */
export const sendText = (audience: Audience | undefined, later: boolean): string =>
  audience
    ? later
      ? `Schedule for ${countedNoun(audience.people, 'person')}`
      : `Send to ${countedNoun(audience.people, 'person')}`
    : later
      ? 'Schedule'
      : 'Send';

/** Describes the reach: `26 of 31 reachable now. 2 will be notified after quiet hours.` */
const audienceReachText = ({ people, reachable, held }: Audience): string =>
  held > 0
    ? `${reachable.toLocaleString()} of ${people.toLocaleString()} reachable now. ${held.toLocaleString()} will be notified after quiet hours.`
    : `${reachable.toLocaleString()} of ${people.toLocaleString()} reachable`;
