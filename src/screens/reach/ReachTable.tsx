import { useState, useEffect, useRef, type FocusEvent } from 'react';
import { Link } from 'wouter';
import { isConnected } from '../../platform/connection';
import type { ReachBoardPerson } from '../../shared/contract';
import { serverNow } from '../../state/clock';
import { mayChange } from '../../state/rights';
import { Icon } from '../../ui/Icon';
import { MoreMenu } from '../../ui/MoreMenu';
import { copyText } from '../../ui/clipboard';
import { lazy } from '../../ui/lazy';
import { notify } from '../../ui/notices';
import { getRegistrationLink } from '../users/user-filters';
import { Initials } from '../../ui/values/Initials';
import { RegistrationLink } from '../users/RegistrationLink';
import { isTestRunning } from './running-tests';
import { nearText } from './near-times';
import {
  decidingDevice,
  isUnregistered,
  lastSeen,
  findLastTest,
  getRemedy,
  describeReachState,
  lastTestText,
  reachReason,
  usesBrowserTab,
} from './reach-texts';
import { TableHead } from '../../ui/lists/TableHead';

const ManualCopyDialog = lazy(() =>
  import('../lists/ManualCopyDialog').then((module) => module.ManualCopyDialog),
);

export interface ReachActions {
  test: (person: ReachBoardPerson) => void;
  remove: (person: ReachBoardPerson) => void;
  /** The person whose test is being requested. */
  busy: unknown;
}

type Uncopied = { kind: 'link'; person: ReachBoardPerson } | { kind: 'advice'; text: string };

/** A page of people: whether each is reachable, why not, and what to do. */
export function ReachTable({
  people,
  actions,
}: {
  people: readonly ReachBoardPerson[];
  actions: ReachActions;
}) {
  const [manualCopy, setManualCopy] = useState<Uncopied>();
  const close = () => setManualCopy(undefined);
  const keepFocus = useFocusNotLost(people);
  return (
    <>
      <div className="panel scroll" onFocusCapture={keepFocus}>
        <table className="dense">
          <TableHead
            columns={['Username', 'State', 'Why', 'Last seen', 'Last test']}
            actions={mayChange.value && 'What to do'}
          />
          <tbody>
            {people.map((person) => (
              <ReachRow
                key={person.user.id}
                person={person}
                actions={actions}
                onUncopied={setManualCopy}
              />
            ))}
          </tbody>
        </table>
      </div>
      {manualCopy?.kind === 'link' && (
        <RegistrationLink user={asPending(manualCopy.person)} onClose={close} />
      )}
      {manualCopy?.kind === 'advice' && (
        <ManualCopyDialog title="Advice" text={manualCopy.text} onClose={close}>
          Copy the selected advice.
        </ManualCopyDialog>
      )}
    </>
  );
}

const asPending = ({ user, invitation }: ReachBoardPerson) => ({
  username: user.username,
  status: 'PENDING' as const,
  ...(invitation ? { registrationToken: invitation.token } : undefined),
});

function ReachRow({
  person,
  actions,
  onUncopied,
}: {
  person: ReachBoardPerson;
  actions: ReachActions;
  onUncopied: (what: Uncopied) => void;
}) {
  const { user, devices } = person;
  const { name, tone } = describeReachState(person);
  return (
    <tr>
      <th scope="row">
        <Initials name={user.username} />
        <bdi>{user.username}</bdi>
      </th>
      <td data-label="State">
        <span className="chip" data-tone={tone}>
          {name}
        </span>
      </td>
      <td data-label="Why" className="bare full why">
        <span>
          {reachReason(person)}
          {usesBrowserTab(person) && (
            <>
              <br />
              <small>Uses a browser tab, not the installed app</small>
            </>
          )}
        </span>
      </td>
      <td data-label="Last seen" className={lastSeen(person) ? 'whole' : 'blank'}>
        {nearText(lastSeen(person))}
      </td>
      <td data-label="Last test" className={findLastTest(person) ? undefined : 'blank'}>
        {lastTestText(findLastTest(person))}
      </td>
      {mayChange.value && (
        <td className="actions">
          <Remedy person={person} actions={actions} onUncopied={onUncopied} />
          <MoreMenu itemName={user.username}>
            <li>
              <Link href={`/admin/users/${user.id}/subscriptions`}>
                <Icon name="user" />
                Open user
              </Link>
            </li>
            {devices.length > 0 && (
              <li className="last">
                <button
                  type="button"
                  className="quiet"
                  aria-label={`Remove device of ${user.username}`}
                  disabled={!isConnected.value}
                  onClick={() => actions.remove(person)}
                >
                  <Icon name="x" />
                  Remove device
                </button>
              </li>
            )}
          </MoreMenu>
        </td>
      )}
    </tr>
  );
}

function Remedy({
  person,
  actions,
  onUncopied,
}: {
  person: ReachBoardPerson;
  actions: ReachActions;
  onUncopied: (what: Uncopied) => void;
}) {
  const { username, id } = person.user;
  async function copyLink(link: string) {
    if (await copyText(link)) notify(`Registration link for ${username} copied.`);
    else onUncopied({ kind: 'link', person });
  }
  async function copyAdvice() {
    try {
      const { adviceForDevice } = await import('./device-advice'); // with what every make needs
      const device = decidingDevice(person);
      const text = adviceForDevice(
        isUnregistered(device) ? undefined : device,
        person.state === 'late',
      );
      if (await copyText(text)) notify(`Advice for ${username} copied.`);
      else onUncopied({ kind: 'advice', text });
    } catch {
      notify('The advice couldn’t be loaded.', 'bad');
    }
  }
  const quiet = (words: string, label: string, press: () => void, busy = false) => (
    <button
      type="button"
      className="quiet"
      aria-label={label}
      aria-busy={busy || undefined}
      disabled={busy}
      onClick={press}
    >
      {words}
    </button>
  );
  switch (getRemedy(person)) {
    case 'link': {
      const link = getRegistrationLink(asPending(person));
      return link
        ? quiet('Copy link', `Copy link for ${username}`, () => void copyLink(link))
        : null;
    }
    case 'advice':
      return quiet('Copy advice', `Copy advice for ${username}`, () => void copyAdvice());
    default: {
      const busy = actions.busy === id || isTestRunning([person], serverNow());
      return quiet(
        'Test',
        `Test devices of ${username}`,
        () => actions.test(person),
        busy || !isConnected.value,
      );
    }
  }
}

/**
 * Focuses the heading if a focused row vanishes.
 * @returns a focus handler
 */
function useFocusNotLost(content: unknown): (event: FocusEvent) => void {
  const lastFocusedElement = useRef<Element>(undefined);
  useEffect(() => {
    if (!lastFocusedElement.current || lastFocusedElement.current.isConnected) return;
    lastFocusedElement.current = undefined;
    if (document.activeElement === document.body)
      document.querySelector('h1')?.focus({ preventScroll: true });
  }, [content]);
  return ({ target }) => {
    lastFocusedElement.current = target;
  };
}
