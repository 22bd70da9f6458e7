import type { Webhook } from '../../shared/contract';
import { answerOf, eventsText, troubleOf } from './answers';

/** @useSignals */
export function WebhookRow({
  webhook,
  isBusy,
  onTest,
  onDelete,
}: {
  webhook: Webhook;
  isBusy: boolean;
  onTest: () => void;
  onDelete: () => void;
}) {
  const { url, events } = webhook;
  const [tone, answer] = answerOf(webhook);
  const trouble = troubleOf(webhook);
  return (
    <li>
      <div>
        <span>
          <b>
            <bdi>{url}</bdi>
          </b>{' '}
          <span>{eventsText(events)}</span>
          {trouble && <small>{trouble}</small>}
        </span>
        <span className="chip" data-tone={tone}>
          {answer}
        </span>
        <button
          type="button"
          className="plain"
          aria-label={`Send a test to ${url}`}
          aria-busy={isBusy || undefined}
          disabled={isBusy}
          onClick={onTest}
        >
          {isBusy ? 'Testing...' : 'Send a test'}
        </button>
        <button
          type="button"
          className="quiet"
          aria-label={`Delete webhook ${url}`}
          onClick={onDelete}
        >
          Delete
        </button>
      </div>
    </li>
  );
}
