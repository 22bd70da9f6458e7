import { inboxSummary } from '../../state/inbox/inbox-summary';

/** Unread messages, after `Inbox`. */
export const InboxCount = () => {
  const { unread } = inboxSummary.value;
  return unread > 0 ? (
    <>
      {' '}
      <b className="count">
        {unread}
        <span className="sr"> new</span>
      </b>
    </>
  ) : null;
};
