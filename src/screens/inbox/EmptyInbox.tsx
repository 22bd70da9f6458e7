import { Link } from 'wouter';
import { EmptyList } from '../../ui/EmptyList';
import { Icon } from '../../ui/Icon';

export const EmptyInbox = () => (
  <EmptyList
    icon="inbox"
    title="No messages yet"
    hint="Messages sent to your topics appear here, even if a notification didn’t arrive."
  >
    <Link className="press" href="/check">
      <Icon name="shield" />
      Test notifications
    </Link>
  </EmptyList>
);
