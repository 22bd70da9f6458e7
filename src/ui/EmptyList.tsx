import type { ReactNode } from 'react';
import { Icon, type IconName } from './Icon';

interface Props {
  icon: IconName;
  /** A title without a full stop, such as `No messages yet`. */
  title: string;
  /** What comes next, in one sentence. */
  hint: ReactNode;
  /** One link or button below the title. */
  children?: ReactNode;
}

/** A list without rows. */
export const EmptyList = ({ icon, title, hint, children }: Props) => (
  <div className="panel empty">
    <span className="disc">
      <Icon name={icon} />
    </span>
    <b>{title}</b>
    <p className="muted">{hint}</p>
    {children}
  </div>
);
