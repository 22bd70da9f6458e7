import type { SentMessage } from '../../shared/contract';
import { asksForAnswer, hasCourse } from './words';

/**
 * How far a message got: who confirmed it, whom else it reached, who is missing. Decoration: the
 * words beside it carry the numbers.
 */
export function Meter({ message }: { message: SentMessage }) {
  if (!hasCourse(message)) return null;
  const { total, displayed, acknowledged } = message.people;
  const confirmed = asksForAnswer(message) ? acknowledged : 0;
  const width = (count: number) => ({ width: `${Math.round((100 * count) / total)}%` });
  return (
    <span className="meter" aria-hidden="true">
      <i data-tone="ok" style={width(confirmed)} />
      <i style={width(displayed - confirmed)} />
      <i data-tone="bad" style={width(total - displayed)} />
    </span>
  );
}
