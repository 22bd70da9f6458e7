import { Icon } from '../Icon';

/** A square, where a person has a circle with initials. */
export const TeamMark = () => (
  <span className="who sq" aria-hidden="true">
    <Icon name="team" />
  </span>
);
