import { useState, type ReactNode } from 'react';
import { Link } from 'wouter';
import type { Overview } from '../../shared/contract';
import { notificationPermission, isPushSupported } from '../../state/device/permission';
import {
  currentDevice,
  enableNotifications,
  registrationError,
} from '../../state/device/registration';
import { sessionClaims } from '../../state/session';
import { subscribeUser, SUBSCRIBE_FAILED } from '../../state/users/subscriptions';
import { errorMessage } from '../../api/error';
import { notify } from '../../ui/notices';
import { useKeepFocus } from '../../ui/page';
import { TopicForm } from '../topics/TopicForm';
import { stepsDone } from './steps-done';

/** The steps lead from an empty installation to the first notification. */
export function FirstSteps({ overview, reload }: { overview: Overview; reload: () => void }) {
  const doneSteps = stepsDone(overview);
  useKeepFocus(doneSteps.join());
  const currentStep = doneSteps.indexOf(false);
  const { health } = overview;
  return (
    <section className="flush" aria-labelledby="three">
      <div className="bar">
        <h2 id="three">Three steps to your first notification</h2>
        <small role="status">{doneSteps.filter(Boolean).length} of 3 done</small>
      </div>
      <ol className="panel rows">
        <Step
          title="1. Enable notifications in this browser"
          description="You’ll be the first person we can reach."
          done={doneSteps[0]}
        >
          {!doneSteps[0] && <EnableNotifications main={currentStep === 0} reload={reload} />}
        </Step>
        <Step
          title="2. Create a topic and send yourself a message"
          description="For example, create “Grid outages”. You’ll be subscribed automatically."
          done={doneSteps[1]}
        >
          {!doneSteps[1] &&
            (overview.topics.total > 0 ? (
              <StepLink main={currentStep === 1} href="/admin/messages/new">
                Send a message
              </StepLink>
            ) : (
              <AddTopic main={currentStep === 1} reload={reload} />
            ))}
        </Step>
        <Step
          title="3. Add your people"
          description="Each person gets a registration link."
          done={doneSteps[2]}
        >
          {!doneSteps[2] && (
            <StepLink main={currentStep === 2} href="/admin/users">
              Add users
            </StepLink>
          )}
        </Step>
      </ol>
      {(health.mail === 'not_set_up' || !health.ownEmail) && (
        <p>
          <small>
            {!health.ownEmail && (
              <>
                <Link href="/account">Add your email address</Link>. Without it, your password can
                only be reset from the command line.{' '}
              </>
            )}
            {health.mail === 'not_set_up' &&
              'Email isn’t set up. Set SMTP_URL on the server so people can reset their passwords.'}
          </small>
        </p>
      )}
    </section>
  );
}

const Step = ({
  title,
  description,
  done,
  children,
}: {
  title: string;
  description: string;
  done: boolean;
  children: ReactNode;
}) => (
  <li>
    <div>
      <span>
        <b>{title}</b> <span>{description}</span>
      </span>
      {children}
      {done && (
        <span className="chip" data-tone="ok">
          Done
        </span>
      )}
    </div>
  </li>
);

/** The current step has the only primary button. */
const StepLink = ({ main, href, children }: { main?: boolean; href: string; children: string }) => (
  <Link className={main ? 'press' : 'other'} href={href}>
    {children}
  </Link>
);

function EnableNotifications({ main, reload }: { main: boolean; reload: () => void }) {
  const [busy, setBusy] = useState(false);
  // That page explains how to unblock notifications.
  if (!isPushSupported.value || notificationPermission.value === 'denied')
    return (
      <StepLink main={main} href="/subscriptions">
        See what to do
      </StepLink>
    );
  async function handleClick() {
    setBusy(true);
    try {
      await enableNotifications();
      if (currentDevice.value) notify('Notifications are on for this device.');
      else notify(registrationError.value, 'bad');
    } catch (thrown) {
      notify((thrown as Error).message, 'bad');
    }
    setBusy(false);
    reload();
  }
  return (
    <button
      type="button"
      className={main ? undefined : 'plain'}
      aria-busy={busy || undefined}
      disabled={busy}
      onClick={() => void handleClick()}
    >
      Enable Notifications
    </button>
  );
}

function AddTopic({ main, reload }: { main: boolean; reload: () => void }) {
  const [open, setOpen] = useState(false);
  /** The creator is subscribed to the first topic. */
  async function subscribeSelf(topic: number) {
    const { failed, firstError } = await subscribeUser(sessionClaims.peek()?.id ?? 0, [topic]);
    if (failed.length > 0) notify(errorMessage(firstError, SUBSCRIBE_FAILED), 'bad');
    reload();
  }
  return (
    <>
      <button type="button" className={main ? undefined : 'plain'} onClick={() => setOpen(true)}>
        Add Topic
      </button>
      {open && (
        <TopicForm onClose={() => setOpen(false)} onDone={(topic) => void subscribeSelf(topic)} />
      )}
    </>
  );
}
