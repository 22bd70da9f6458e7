import type { SentMessage } from '../../shared/contract';
import { SHOWN_STATES } from '../../shared/recipient-states';
import { STATE_NAMES, countRecipientStates } from './state-texts';
import { hasMeter } from './message-texts';

/** A message's people by state. Decoration: the text beside it has the numbers. */
export function Meter({ message }: { message: SentMessage }) {
  if (!hasMeter(message)) return null;
  const counts = countRecipientStates(message);
  return (
    <span className="meter" aria-hidden="true">
      {SHOWN_STATES.map(
        (state) =>
          counts[state] > 0 && (
            <i key={state} data-state={state} style={{ flexGrow: String(counts[state]) }} />
          ),
      )}
    </span>
  );
}

export function Legend({ messages }: { messages: readonly SentMessage[] }) {
  const stateCounts = messages.filter(hasMeter).map(countRecipientStates);
  return (
    <p className="legend" aria-hidden="true">
      {SHOWN_STATES.map(
        (state) =>
          stateCounts.some((counts) => counts[state] > 0) && (
            <small key={state}>
              <i className="swatch" data-state={state} /> {STATE_NAMES[state]}
            </small>
          ),
      )}
    </p>
  );
}
