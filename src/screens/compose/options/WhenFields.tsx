import type { ReactNode } from 'react';
import { EVENING_HOUR, isEvening, type ComposedMessage } from '../../../state/messages/composing';
import { Select } from '../../../ui/forms/Select';
import { Choice } from '../../../ui/forms/Choice';

const DAY_MS = 24 * 60 * 60 * 1000;

/** Formats a time for `datetime-local`. */
const formatLocal = (milliseconds: number): string => {
  const date = new Date(milliseconds);
  return new Date(milliseconds - date.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
};

interface Props {
  draft: ComposedMessage;
  onChange: (part: Partial<ComposedMessage>) => void;
  /** Links a field to its error. */
  invalid: (name: string) => object | undefined;
  /** The text beside the time's fields. */
  children?: ReactNode;
}

/** When the message is sent, and when it expires. */
export function WhenFields({ draft, onChange, invalid, children }: Props) {
  const { later, sendAt, expiresAt } = draft;
  const now = Date.now();
  const today = !later && !isEvening();
  const ends = draft.ends === 'today' && !today ? 'day' : draft.ends;
  return (
    <>
      <fieldset>
        <Choice
          legend="When"
          name="when"
          options={[
            ['now', 'Now'],
            ['later', 'Later'],
          ]}
          value={later ? 'later' : 'now'}
          onChoose={(when) => onChange({ later: when === 'later' })}
        />
      </fieldset>
      <div className="pair">
        {later && (
          <label>
            Send at
            <input
              type="datetime-local"
              name="sendAt"
              required
              min={formatLocal(now)}
              max={formatLocal(now + 365 * DAY_MS)}
              value={sendAt}
              onInput={({ currentTarget }) => onChange({ sendAt: currentTarget.value })}
              {...invalid('sendAt')}
            />
          </label>
        )}
        <Select
          label="Expires"
          name="ends"
          options={[
            ...(today ? ([['today', `Today at ${EVENING_HOUR}:00`]] as const) : []),
            ['day', later ? '24 hours after sending' : 'In 24 hours'],
            ['time', 'Choose a time'],
          ]}
          value={ends}
          onChoose={(chosen) => onChange({ ends: chosen })}
        />
        {ends === 'time' && (
          <label>
            Expires at
            <input
              type="datetime-local"
              name="expiresAt"
              required
              min={later && sendAt ? sendAt : formatLocal(now)}
              value={expiresAt}
              onInput={({ currentTarget }) => onChange({ expiresAt: currentTarget.value })}
              {...invalid('expiresAt')}
            />
          </label>
        )}
        {children}
      </div>
    </>
  );
}
