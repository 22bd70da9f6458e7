import type { TopicKey } from '../../shared/contract';
import { clockText, dayText } from '../../ui/values/Day';
import { countedNoun } from '../../ui/lists/Pager';
import { isToday, nearDay } from '../../ui/values/When';

/** `today`, `yesterday`, or `2 Nov`. */
function dayInside(iso: string): string {
  const dayLabel = dayText(iso);
  return dayLabel === '-' ? dayLabel : (nearDay(new Date(iso))?.toLowerCase() ?? dayLabel);
}

/** `last used today 09:31`; past days without a time. */
function lastUse(iso: string | null): string {
  if (iso === null) return 'never used';
  const day = dayInside(iso);
  const time = isToday(new Date(iso)) ? ` ${clockText(new Date(iso))}` : '';
  return `last used ${day}${time}`;
}

/** @useSignals */
export const KeyRow = ({
  shown: { name, prefix, createdAt, lastUsedAt, heldBack },
  onRevoke,
}: {
  shown: TopicKey;
  onRevoke: () => void;
}) => (
  <li>
    <div>
      <span>
        <b>
          <bdi>{name}</bdi>
        </b>{' '}
        <span>
          {prefix}… · created {dayInside(createdAt)} · {lastUse(lastUsedAt)}
        </span>
        {heldBack && (
          <span className="chip" data-tone="warn">
            Limit exceeded {dayInside(heldBack.since)} {clockText(new Date(heldBack.since))}: at
            least {countedNoun(heldBack.alerts, 'message')} rejected
          </span>
        )}
      </span>
      <button type="button" className="quiet" aria-label={`Revoke ${name}`} onClick={onRevoke}>
        Revoke
      </button>
    </div>
  </li>
);
