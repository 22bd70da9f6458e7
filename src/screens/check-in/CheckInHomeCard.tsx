import { Link } from 'wouter';
import { Icon } from '../../ui/Icon';

interface Props {
  title?: string;
  text?: string;
  action?: string;
}

/** The home screen's check-in card. Shows defaults until the check-in has loaded. */
export const CheckInHomeCard = ({
  title = 'Working alone?',
  text = 'Set a time. If you don’t tell us you’re OK by then, we’ll alert others.',
  action = 'Check in',
}: Props) => (
  <section className="panel pad line" aria-labelledby="alone">
    <span className="disc">
      <Icon name="clock" />
    </span>
    <span>
      <b id="alone">{title}</b>
      <small>{text}</small>
    </span>
    <Link className="alone" href="/check-in">
      {action}
    </Link>
  </section>
);
