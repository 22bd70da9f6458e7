import { Link } from 'wouter';
import type { Escalation, SentMessage } from '../../../shared/contract';
import { now } from '../../../state/clock';
import { clockText, dayText, timeOf } from '../../../ui/values/Day';
import { courseOf, type Sentence } from './escalation';

// In the same file, which comes when a message is looked at.
export { readEscalation } from '../../../state/sending/escalation';

interface Props {
  message: SentMessage;
  escalation: Escalation;
}

/** What happened to those who have not answered, what is to come, and what stopped it. */
export function Course({ message, escalation }: Props) {
  const entries = courseOf(message, escalation, now());
  const sent = timeOf(message.sendAt);
  return (
    <section className="flush" aria-labelledby="course">
      <h2 id="course">Escalation</h2>
      <ol className="panel course">
        {entries.map(({ key, time, what, details, tone, current, messageId }) => (
          <li key={key} data-tone={tone} aria-current={current ? 'step' : undefined}>
            <b>
              <Time time={time} sent={sent} /> <Words of={what} />
            </b>
            {details.map((detail) => (
              <small key={detail.join('')}>
                <Words of={detail} />
              </small>
            ))}
            {messageId && (
              <small>
                <Link href={`/admin/messages/${messageId}`}>See that message</Link>
              </small>
            )}
          </li>
        ))}
      </ol>
    </section>
  );
}

/** The time of the day; with the day, if that is not the one that the message was sent on. */
function Time({ time, sent }: { time: number; sent: number }) {
  if (Number.isNaN(time)) return <>-</>;
  const date = new Date(time);
  const iso = date.toISOString();
  const sameDay = date.toDateString() === new Date(sent).toDateString();
  return (
    <time dateTime={iso}>
      {sameDay ? '' : `${dayText(iso)}, `}
      {clockText(date)}
    </time>
  );
}

const Words = ({ of: [before, name, after] }: { of: Sentence }) => (
  <>
    {before}
    {name !== undefined && <bdi>{name}</bdi>}
    {after}
  </>
);
