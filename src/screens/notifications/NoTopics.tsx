import { Link } from 'wouter';
import { EmptyList } from '../../ui/EmptyList';
import { Icon } from '../../ui/Icon';

export const NoTopics = () => (
  <EmptyList
    icon="bell"
    title="No topics yet"
    hint="You are not subscribed to any topics yet. Contact an administrator to subscribe you to topics."
  >
    <Link className="other" href="/check">
      <Icon name="shield" />
      Test notifications
    </Link>
  </EmptyList>
);
