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
  const part = (count: number) => `${Math.round((100 * count) / total)}%`;
  return (
    <span className="meter" aria-hidden="true">
      <i data-tone="ok" style={{ width: part(confirmed) }} />
      <i style={{ width: part(displayed - confirmed) }} />
      <i data-tone="bad" style={{ width: part(total - displayed) }} />
    </span>
  );
}
