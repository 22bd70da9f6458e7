import type { Subscription } from '../../shared/contract';
import { Icon } from '../../ui/Icon';

/** How someone is subscribed: by name, through teams, or both. */
export const SubscribedBy = ({
  byName = true,
  teams = [],
}: {
  byName?: boolean | undefined;
  teams?: Subscription['teams'] | undefined;
}) => (
  <span className="tags">
    {teams.map(({ id, name }) => (
      <span key={id} className="chip">
        <Icon name="team" />
        <bdi>{name}</bdi>
      </span>
    ))}
    {byName && (
      <span className="chip">
        <Icon name="user" />
        By name
      </span>
    )}
  </span>
);
