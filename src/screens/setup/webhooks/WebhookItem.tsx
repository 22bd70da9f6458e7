import { Fragment } from 'react';
import type { Webhook } from '../../../shared/contract';
import { webhookResponseText, eventsText, webhookProblem } from './webhook-texts';

/** Long URLs may break after slashes, but not after `https://`. */
const URL_PARTS = /^\w+:\/\/[^/]*\/*|[^/]+\/*|\/+/g;

/** @useSignals */
export function WebhookItem({
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
  const [tone, answer] = webhookResponseText(webhook);
  const trouble = webhookProblem(webhook);
  return (
    <li>
      <div>
        <span>
          <b>
            <bdi>
              {url.match(URL_PARTS)?.map((part, index) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: they are parts of one text
                <Fragment key={index}>
                  {part}
                  <wbr />
                </Fragment>
              ))}
            </bdi>
          </b>{' '}
          <span>{eventsText(events)}</span>
          {trouble && <small>{trouble}</small>}{' '}
          <span className="chip" data-tone={tone}>
            {answer}
          </span>
        </span>
        <span className="inline last">
          <button
            type="button"
            className="plain"
            aria-label={`Send a test to ${url}`}
            aria-busy={isBusy || undefined}
            disabled={isBusy}
            onClick={onTest}
          >
            {isBusy ? 'Testing…' : 'Send a test'}
          </button>
          <button
            type="button"
            className="quiet"
            aria-label={`Delete webhook ${url}`}
            onClick={onDelete}
          >
            Delete
          </button>
        </span>
      </div>
    </li>
  );
}
