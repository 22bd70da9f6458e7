import { Link, useParams } from 'wouter';
import { Icon } from '../../ui/Icon';
import { Failure, Heading, Skeleton, useKeepFocus } from '../../ui/page';
import { previousListQuery } from '../lists/list-address';
import { AvailableTopics } from './AvailableTopics';
import { CurrentSubscriptions } from './CurrentSubscriptions';
import { useLoad } from '../lists/use-load';
import { ROLE_NAMES } from '../user-labels';
import { USER_DATA_FAILED, readUserData } from '../../state/users/subscriptions';

export function UserSubscriptions() {
  const { userId = '' } = useParams<{ userId: string }>();
  const { value, failure, loading, reload, retry } = useLoad(
    userId,
    readUserData,
    USER_DATA_FAILED,
  );
  useKeepFocus(value);
  return (
    <>
      <Link className="back alone" href={`/admin/users${previousListQuery()}`}>
        <Icon name="chevron" />
        Users
      </Link>
      <div className="bar">
        <Heading>Manage Subscriptions</Heading>
        {value && (
          <p>
            <b>
              <bdi>{value.user.username}</bdi>
            </b>{' '}
            <span className="muted">{ROLE_NAMES[value.user.role] ?? value.user.role}</span>
          </p>
        )}
      </div>
      {failure && <Failure retry={retry}>{failure}</Failure>}
      {!value && loading && <Skeleton />}
      {value && (
        <div className="cols">
          <CurrentSubscriptions
            userId={value.user.id}
            subscriptions={value.subscriptions}
            onChange={reload}
          />
          <AvailableTopics userId={value.user.id} topics={value.available} onChange={reload} />
        </div>
      )}
    </>
  );
}
