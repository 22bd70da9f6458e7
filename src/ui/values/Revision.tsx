import type { InboxMessage } from '../../shared/contract';
import { OwnAnswer, type OwnAnswerProps } from './EarlierText';
import { Icon } from '../Icon';
import { timeText } from './When';

interface Props {
  row: Pick<InboxMessage, 'allClear' | 'allClearAt' | 'allClearBy' | 'former' | 'revisedAt'> &
    OwnAnswerProps['row'];
  part: 'marks' | 'all-clear' | 'former' | 'answer';
  /** Whether the message requests an answer. The part `answer` uses this. */
  asked?: boolean;
  /** Shows marks without color: senders know them already. */
  neutral?: boolean;
}

/** What a corrected message, or one with its all-clear, shows besides its text. */
export function Revision({ row, part, neutral, asked }: Props) {
  if (part === 'answer') return <OwnAnswer row={row} asked={asked} />;
  const { allClear, allClearAt, allClearBy, former = [], revisedAt } = row;
  const clearedText = allClearAt && `All clear ${timeText(Date.parse(allClearAt))}`;
  if (part === 'marks')
    return (
      <>
        {clearedText && (
          <span className="chip" data-tone={neutral ? undefined : 'ok'}>
            {clearedText}
          </span>
        )}
        {revisedAt &&
          (neutral ? (
            <small>Corrected {timeText(Date.parse(revisedAt))}</small>
          ) : (
            <span className="chip" data-tone="warn">
              <Icon name="edit" />
              Corrected {timeText(Date.parse(revisedAt))}
            </span>
          ))}
      </>
    );
  if (part === 'all-clear')
    return clearedText ? (
      <div className="note" data-tone="ok" role="status">
        <b>{clearedText}</b>{' '}
        {allClear && (
          <p>
            <bdi>{allClear}</bdi>
          </p>
        )}
        {allClearBy && (
          <small>
            from <bdi>{allClearBy}</bdi>
          </small>
        )}
      </div>
    ) : null;
  return former.length > 0 ? (
    <details>
      <summary>Show the earlier text</summary>
      {[...former].reverse().map(({ revision, message, at }) => (
        <div key={revision}>
          <small>Text from {timeText(Date.parse(at))}</small>
          <p className="muted lines">
            <bdi>{message}</bdi>
          </p>
        </div>
      ))}
    </details>
  ) : null;
}
