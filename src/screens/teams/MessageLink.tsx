import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { addressComposed } from '../../state/messages/composing';
import type { Team } from '../../shared/contract';

/** Opens the composer with this team as the only recipient. */
export const MessageLink = ({
  team: { id, name, members },
  className,
  children = 'Message team',
}: {
  team: Team;
  className?: string;
  children?: ReactNode;
}) => (
  <Link
    className={className}
    href="/admin/messages/new"
    aria-label={`Message team ${name}`}
    onClick={() => addressComposed({ kind: 'team', id, name, people: members })}
  >
    {children}
  </Link>
);
