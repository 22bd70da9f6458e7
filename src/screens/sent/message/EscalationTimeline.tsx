import { Link } from 'wouter';
import type { Escalation, SentMessage } from '../../../shared/contract';
import { serverNow } from '../../../state/clock';
import { Moment } from '../../../ui/values/When';
import { buildTimeline } from './escalation-texts';
import type { OutcomeTitle } from './step-outcome-texts';

// The export shares this chunk, which loads with the message.
export { readEscalation } from '../../../state/messages/escalation';

interface Props {
  message: SentMessage;
  escalation: Escalation;
}

/** The escalation's past and coming steps, and the corrections in between. */
export function EscalationTimeline({ message, escalation }: Props) {
  const entries = buildTimeline(message, escalation, serverNow());
  return (
    <section className="flush" aria-labelledby="escalation">
      <h2 id="escalation">Timeline</h2>
      <ol className="panel stages">
        {entries.map(({ key, time, what, details, tone, current, messageId }) => (
          <li key={key} data-tone={tone} aria-current={current ? 'step' : undefined}>
            <b>
              <Moment time={time} /> <Words of={what} />
            </b>
            {details.map((detail) => (
              <small key={detail.join('')}>
                <Words of={detail} />
              </small>
            ))}
            {messageId && (
              <small>
                <Link href={`/admin/messages/${messageId}`}>Open message</Link>
              </small>
            )}
          </li>
        ))}
      </ol>
    </section>
  );
}

const Words = ({ of: [before, name, after] }: { of: OutcomeTitle }) => (
  <>
    {before}
    {name !== undefined && <bdi>{name}</bdi>}
    {after}
  </>
);
