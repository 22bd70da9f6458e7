import { useState } from 'react';
import { errorMessage } from '../../../api/error';
import type { WebhookEvent } from '../../../shared/contract';
import { WEBHOOK_ADD_FAILED, addWebhook } from '../../../state/setup/webhooks';
import { FormError, Submit, useForm } from '../../../ui/forms/form';
import { notify } from '../../../ui/notices';
import { useIsMounted } from '../../../ui/forms/use-is-mounted';
import { WEBHOOK_EVENTS } from './webhook-texts';

const INITIAL_URL = 'https://';
const INITIAL_EVENTS: readonly WebhookEvent[] = ['message.sent', 'message.acknowledged'];

export function AddWebhook({
  onAdded,
  onSettled,
}: {
  onAdded: (webhook: { id: number; secret: string }) => void;
  /** Called after every attempt: the webhook may be added even after a failure. */
  onSettled: () => void;
}) {
  const [url, setUrl] = useState(INITIAL_URL);
  const [events, setEvents] = useState(INITIAL_EVENTS);
  const isMounted = useIsMounted();
  const { onSubmit, error, invalid, busy } = useForm(
    async () => {
      try {
        const webhook = await addWebhook({ url: url.trim(), events: [...events] });
        if (!isMounted.current)
          notify(`Webhook added. Its secret is ${webhook.secret}`, 'ok', 60_000);
        // Keeps what was typed in the meantime.
        setUrl((previous) => (previous === url ? INITIAL_URL : previous));
        setEvents((previous) => (previous === events ? INITIAL_EVENTS : previous));
        onAdded(webhook);
      } catch (thrown) {
        if (!isMounted.current) notify(errorMessage(thrown, WEBHOOK_ADD_FAILED), 'bad');
        throw thrown;
      } finally {
        onSettled();
      }
    },
    (thrown) => errorMessage(thrown, WEBHOOK_ADD_FAILED),
  );
  return (
    <section aria-labelledby="add">
      <h2 id="add">Add a webhook</h2>
      <form className="panel pad" onSubmit={onSubmit}>
        <FormError>{error}</FormError>
        <label>
          URL
          <input
            type="url"
            name="url"
            inputMode="url"
            autoComplete="off"
            required
            maxLength={2000}
            value={url}
            onInput={({ currentTarget }) => setUrl(currentTarget.value)}
            {...invalid('url')}
          />
        </label>
        <fieldset>
          <legend>Call this URL when</legend>
          {WEBHOOK_EVENTS.map(([event, words]) => (
            <label key={event} className="show">
              <input
                type="checkbox"
                name="events"
                value={event}
                checked={events.includes(event)}
                onChange={({ currentTarget }) =>
                  setEvents((chosenEvents) =>
                    currentTarget.checked
                      ? [...chosenEvents, event]
                      : chosenEvents.filter((chosenEvent) => chosenEvent !== event),
                  )
                }
              />{' '}
              {words}
            </label>
          ))}
        </fieldset>
        <Submit busy={busy} busyText="Adding…">
          Add webhook
        </Submit>
      </form>
    </section>
  );
}
