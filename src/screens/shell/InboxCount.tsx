import { inboxSummary } from '../../state/inbox/inbox-summary';

/** Unread messages, after `Inbox`; red only while an urgent one waits for an answer. */
export const InboxCount = () => {
  const { unread, urgent } = inboxSummary.value;
  return unread > 0 ? (
    <>
      {' '}
      <b className="count" data-tone={urgent ? 'bad' : undefined}>
        {unread}
        <span className="sr"> new</span>
      </b>
    </>
  ) : null;
};
