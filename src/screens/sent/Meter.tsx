import type { SentMessage } from '../../shared/contract';
import {
  countGroup,
  EVERYONE_FILTER,
  NOT_ANSWERED_FILTER,
  NOT_READ_FILTER,
  NOT_REACHED_FILTER,
} from '../../shared/recipient-states';
import { countUnresolvedHelp } from './calls-for-help';
import { STATE_NAMES, countRecipientStates } from './state-texts';
import { asksForAnswer, hasMeter } from './message-texts';

/**
 * A message's people in a list: who needs help, who is done, who is not yet, and who was not
 * reached. Decoration: the text beside it has the numbers.
 */
export function Meter({ message }: { message: SentMessage }) {
  if (!hasMeter(message)) return null;
  const counts = countRecipientStates(message);
  const waiting = countGroup(
    counts,
    asksForAnswer(message) ? NOT_ANSWERED_FILTER : NOT_READ_FILTER,
  );
  const failed = countGroup(counts, NOT_REACHED_FILTER);
  const help = countUnresolvedHelp(message);
  const answered = countGroup(counts, EVERYONE_FILTER) - waiting - failed - help;
  return (
    <span className="meter" aria-hidden="true">
      {Object.entries({ help, [getDoneState(message)]: answered, waiting, failed }).map(
        ([state, count]) =>
          count > 0 && <i key={state} data-state={state} style={{ flexGrow: String(count) }} />,
      )}
    </span>
  );
}

/** Without a requested answer, people are done once they have read the message. */
const getDoneState = (message: SentMessage) => (asksForAnswer(message) ? 'answered' : 'read');

const NOT_REACHED_NAME = 'Not reached';

/** Names the three parts as the tiles on a message's page do. */
export function Legend({ messages }: { messages: readonly SentMessage[] }) {
  const asks = new Set(messages.filter(hasMeter).map(asksForAnswer));
  if (asks.size === 0) return null;
  const part = (state: string, ifAsked: string, otherwise: string) => (
    <small>
      <i className="swatch" data-state={state} />{' '}
      {[asks.has(true) && ifAsked, asks.has(false) && otherwise].filter(Boolean).join(' / ')}
    </small>
  );
  return (
    <p className="legend" aria-hidden="true">
      {asks.has(true) && part('answered', STATE_NAMES.answered, '')}
      {asks.has(false) && part('read', '', STATE_NAMES.read)}
      {part('waiting', 'No answer yet', 'Not read yet')}
      <small>
        <i className="swatch" data-state="failed" /> {NOT_REACHED_NAME}
      </small>
    </p>
  );
}
