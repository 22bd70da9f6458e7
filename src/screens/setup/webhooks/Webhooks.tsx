import { useState } from 'react';
import type { Webhook } from '../../../shared/contract';
import { errorMessage } from '../../../api/error';
import {
  readWebhooks,
  WEBHOOK_TEST_FAILED,
  testWebhook,
  WEBHOOKS_FAILED,
} from '../../../state/setup/webhooks';
import { parseTime } from '../../../ui/values/Day';
import { notify } from '../../../ui/notices';
import { useIsMounted } from '../../../ui/forms/use-is-mounted';
import { Failure, Skeleton, useKeepFocus } from '../../../ui/page';
import { useLoad } from '../../lists/use-load';
import { AddWebhook } from './AddWebhook';
import { DeleteWebhook } from './DeleteWebhook';
import { SetupHeader } from '../SetupHeader';
import { WebhookItem } from './WebhookItem';
import { webhookTestText } from './webhook-texts';
import { CopyBar } from '../../../ui/CopyBar';

/** Webhooks with their last responses and tests, and a form for new ones. */
export function Webhooks() {
  const { value, failure, loading, reload } = useLoad('', readWebhooks, WEBHOOKS_FAILED);
  /** Responses to tests. */
  const [testedWebhooks, setTestedWebhooks] = useState<ReadonlyMap<number, Webhook>>(new Map());
  const [testingIds, setTestingIds] = useState<ReadonlySet<number>>(new Set());
  const [addedWebhook, setAddedWebhook] = useState<{ id: number; secret: string }>();
  const [webhookToDelete, setWebhookToDelete] = useState<Webhook>();
  const isMounted = useIsMounted();
  useKeepFocus(value);
  const webhooks = value?.map((webhook) =>
    getNewerWebhook(webhook, testedWebhooks.get(webhook.id)),
  );
  const isEmpty = webhooks?.length === 0;

  async function testAndNotify(webhook: Webhook) {
    setTestingIds((previous) => new Set(previous).add(webhook.id));
    try {
      const updatedWebhook = await testWebhook(webhook.id);
      if (!isMounted.current) return;
      setTestedWebhooks((previous) => new Map(previous).set(updatedWebhook.id, updatedWebhook));
      notify(...webhookTestText(webhook, updatedWebhook));
    } catch (thrown) {
      if (!isMounted.current) return;
      notify(errorMessage(thrown, WEBHOOK_TEST_FAILED), 'bad');
      reload(); // the webhook may be gone
    } finally {
      if (isMounted.current)
        setTestingIds((previous) => new Set([...previous].filter((other) => other !== webhook.id)));
    }
  }
  return (
    <>
      <SetupHeader />
      <div className={isEmpty ? 'narrow' : 'twin'}>
        <section aria-labelledby={isEmpty ? undefined : 'webhooks'}>
          {!isEmpty && (
            <h2 id="webhooks">Webhooks{value ? ` (${value.length.toLocaleString()})` : ''}</h2>
          )}
          <Secret>{addedWebhook?.secret ?? ''}</Secret>
          {failure && <Failure retry={reload}>{failure}</Failure>}
          {!webhooks && loading && <Skeleton />}
          {isEmpty && (
            <p>
              Add the URL of a service, such as an SMS gateway or a chat. We’ll call it when
              something happens.
            </p>
          )}
          {webhooks && webhooks.length > 0 && (
            <ul className="panel rows">
              {webhooks.map((webhook) => (
                <WebhookItem
                  key={webhook.id}
                  webhook={webhook}
                  isBusy={testingIds.has(webhook.id)}
                  onTest={() => void testAndNotify(webhook)}
                  onDelete={() => setWebhookToDelete(webhook)}
                />
              ))}
            </ul>
          )}
          <p>
            <small>
              Signed per the Standard Webhooks spec: webhook-id, webhook-timestamp,
              webhook-signature.
            </small>
          </p>
        </section>
        <AddWebhook onAdded={setAddedWebhook} onSettled={reload} />
      </div>
      {webhookToDelete && (
        <DeleteWebhook
          webhook={webhookToDelete}
          onClose={() => setWebhookToDelete(undefined)}
          onDone={() =>
            setAddedWebhook((previous) =>
              previous?.id === webhookToDelete.id ? undefined : previous,
            )
          }
          onSettled={reload}
        />
      )}
    </>
  );
}

/** The newer of the listed and the tested state. */
const getNewerWebhook = (readWebhook: Webhook, testedWebhook: Webhook | undefined): Webhook =>
  testedWebhook && !(parseTime(readWebhook.lastAt) > parseTime(testedWebhook.lastAt))
    ? testedWebhook
    : readWebhook;

/** A new webhook's secret, shown only here. */
const Secret = ({ children }: { children: string }) => (
  <>
    <p className="note" data-tone="ok" role="status">
      {children && <b>Webhook added. Copy its secret now. It won’t be shown again.</b>}
    </p>
    {children && (
      <CopyBar what="secret" focused>
        {children}
      </CopyBar>
    )}
  </>
);
