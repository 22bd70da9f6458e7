import type { SentMessage } from '../../shared/contract';
import { countCallsForHelp, describeHelp, isForgotten } from './calls-for-help';

/** In a list: how many people need help, or needed it when the message expired. */
export function HelpChip({ message }: { message: SentMessage }) {
  const text = message.allClearAt ? '' : describeHelp(message);
  return text ? (
    <>
      <span className="chip" data-tone={getTone(message)}>
        {text}
      </span>{' '}
    </>
  ) : null;
}

function getTone(message: SentMessage): string | undefined {
  if (countCallsForHelp(message) > 0) return 'bad';
  return isForgotten(message) ? 'warn' : undefined;
}
