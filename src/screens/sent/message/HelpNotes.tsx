import { Link } from 'wouter';
import type { SentMessage } from '../../../shared/contract';
import { listLink } from '../../lists/list-address';
import { needHelpText, openCallsForHelp } from '../calls-for-help';

interface Props {
  message: SentMessage;
  addressOf: (answer: string) => string;
  /** Called when someone opens the list of these people. */
  onOpen?: () => void;
}

/** How many people called for help, with a link to them. */
export const HelpNotes = ({ message, addressOf, onOpen }: Props) => (
  <>
    {openCallsForHelp(message).map(([answer, count]) => (
      <div key={answer} className="note bar" data-tone="bad" role="status">
        <b>{needHelpText(count)}</b>
        <Link
          className="alone"
          {...listLink(addressOf(answer))}
          onClick={() => {
            onOpen?.();
            document.getElementById('people')?.scrollIntoView();
          }}
        >
          See who
        </Link>
      </div>
    ))}
  </>
);
