import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { Icon, type IconName } from '../../ui/Icon';

interface Props {
  icon: IconName;
  label: string;
  detail: ReactNode;
  href?: string;
  /** False if nothing was recorded. */
  children: ReactNode;
}

/** A number with its name, in a `.tally`. */
export function Tile({ icon, label, detail, href, children }: Props) {
  const content = (
    <>
      <small>
        <Icon name={icon} />
        {label}
      </small>
      <b>{children === false ? '–' : children}</b>
      <small>{children === false ? 'No data' : detail}</small>
    </>
  );
  return href ? <Link href={href}>{content}</Link> : <div>{content}</div>;
}
