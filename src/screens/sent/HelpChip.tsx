import type { SentMessage } from '../../shared/contract';
import { describeHelp, getHelpTone } from './calls-for-help';

/** In a list: how many people need help, or needed it when the message expired. */
export function HelpChip({ message }: { message: SentMessage }) {
  const text = message.allClearAt ? '' : describeHelp(message);
  return text ? (
    <>
      <span className="chip" data-tone={getHelpTone(message)}>
        {text}
      </span>{' '}
    </>
  ) : null;
}
