import { Link } from 'wouter';
import type { Escalation, SentMessage } from '../../../shared/contract';
import { serverNow } from '../../../state/clock';
import { clockText } from '../../../ui/values/Day';
import { When } from '../../../ui/values/When';
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
        {entries.map(({ key, time, what, details, tone, current, messageId }, index) => (
          <li key={key} data-tone={tone} aria-current={current ? 'step' : undefined}>
            <b>
              <EntryTime time={time} previous={entries[index - 1]?.time} /> <Words of={what} />
            </b>
            {details.map((detail) => (
              <small key={detail.join('')}>
                <Words of={detail} />
              </small>
            ))}
            {messageId && (
              <small>
                <Link className="alone" href={`/admin/messages/${messageId}`}>
                  Open message
                </Link>
              </small>
            )}
          </li>
        ))}
      </ol>
    </section>
  );
}

/** The day stands only where it changes. */
function EntryTime({ time, previous }: { time: number; previous: number | undefined }) {
  const date = new Date(time);
  const iso = Number.isNaN(time) ? '' : date.toISOString();
  if (date.toDateString() !== new Date(previous ?? Number.NaN).toDateString())
    return <When iso={iso} />;
  return <time dateTime={iso}>{clockText(date)}</time>;
}

const Words = ({ of: [before, name, after] }: { of: OutcomeTitle }) => (
  <>
    {before}
    {name !== undefined && <bdi>{name}</bdi>}
    {after}
  </>
);
