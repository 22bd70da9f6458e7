import { Fragment } from 'react';
import { Link } from 'wouter';
import type { SentMessage } from '../../../shared/contract';
import { getMessageArea } from '../../../state/messages/call-area';
import { addressComposed } from '../../../state/messages/composing';
import { readRecipients, RECIPIENTS_FAILED } from '../../../state/messages/sent-messages';
import { Icon } from '../../../ui/Icon';
import { Failure } from '../../../ui/page';
import { listLink } from '../../lists/list-address';
import { useLoad } from '../../lists/use-load';
import {
  describeHelp,
  getHelpTone,
  isForgotten,
  isHelpOpen,
  listCallsForHelp,
} from '../calls-for-help';
import { canGiveAllClear, mayChangeMessage } from './allowed-changes';
import { PeopleTable } from './PeopleTable';

interface Props {
  message: SentMessage;
  addressOf: (answer: string) => string;
  /** Called when someone opens the list of these people. */
  onOpen?: (() => void) | undefined;
  /** With it, the people are listed, too. */
  onAllClear?: (() => void) | undefined;
}

/** How many people called for help, who they are, and what to do. */
export function HelpNotes({ message, addressOf, onOpen, onAllClear }: Props) {
  const isOpen = isHelpOpen(message);
  const mayGiveAllClear = onAllClear && canGiveAllClear(message) && mayChangeMessage(message);
  const isListed = onAllClear && isOpen;
  return listCallsForHelp(message).map(([answer, count], index) => (
    <Fragment key={answer}>
      <div className="note bar" data-tone={getHelpTone(message)} role="status">
        <span>
          <b>{describeHelp(message, count)}</b>
          {isForgotten(message) && (
            <>
              <br />
              The message expired without an all-clear.
            </>
          )}
        </span>
        {!isListed || count > MAX_LISTED_PEOPLE ? (
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
        ) : null}
        {isListed && mayGiveAllClear && index === 0 && (
          <button type="button" className="plain" onClick={onAllClear}>
            <Icon name="shield" />
            All clear
          </button>
        )}
      </div>
      {isListed && <Callers message={message} answer={answer} />}
    </Fragment>
  ));
}

const MAX_LISTED_PEOPLE = 20;

function Callers({ message, answer }: { message: SentMessage; answer: string }) {
  const area = getMessageArea(message);
  const { value, failure, reload, retry } = useLoad(
    message,
    ({ id }) =>
      readRecipients(area, id, 'acknowledged', {
        page: 1,
        limit: MAX_LISTED_PEOPLE,
        query: '',
        answer,
      }),
    RECIPIENTS_FAILED,
  );
  return (
    <>
      {failure && <Failure retry={retry}>{failure}</Failure>}
      {value && (
        <PeopleTable
          message={message}
          group="answered"
          rows={value.rows}
          onDone={reload}
          contact={area === 'admin' ? messageLink : undefined}
        />
      )}
    </>
  );
}

const messageLink = ({ id, username }: { id: number; username: string }) => (
  <Link
    className="alone"
    href="/admin/messages/new"
    aria-label={`Message ${username}`}
    onClick={() => addressComposed({ kind: 'person', id, name: username })}
  >
    Message
  </Link>
);
