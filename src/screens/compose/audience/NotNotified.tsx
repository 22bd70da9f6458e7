import { useState } from 'react';
import { Link } from 'wouter';
import type { Audience, User } from '../../../shared/contract';
import type { Addressee } from '../../../state/messages/composing';
import { readNotNotified } from './not-notified';
import { copyText } from '../../../ui/clipboard';
import { notify } from '../../../ui/notices';
import { Failure } from '../../../ui/page';
import { useLoad } from '../../lists/use-load';
import { RegistrationLink } from '../../users/RegistrationLink';
import { getRegistrationLink } from '../../users/user-filters';

/** Names are not loaded for more people. */
const MAX_CHECKED_PEOPLE = 500;
const MAX_LISTED_PEOPLE = 10;
const NOT_NOTIFIED_FAILED = 'Failed to check who won’t be notified.';

/** Who will not be notified, with the reason and what helps. */
export function NotNotified({
  to,
  audienceKey: { people, muted, unreachable },
}: {
  to: readonly Addressee[];
  audienceKey: Audience;
}) {
  const notNotifiedCount = muted + unreachable;
  // The names of a team's members come without their devices: the reach board has them.
  const hasTeam = to.some(({ kind }) => kind === 'team');
  const audience =
    notNotifiedCount && people <= MAX_CHECKED_PEOPLE && !hasTeam ? JSON.stringify(to) : '';
  const {
    value = [],
    failure,
    reload,
  } = useLoad(
    audience,
    async (text: string) => (text ? readNotNotified(JSON.parse(text) as Addressee[]) : []),
    NOT_NOTIFIED_FAILED,
  );
  const [byHand, setByHand] = useState<User>();
  if (!notNotifiedCount) return null;
  const [onlyAddressee, ...otherAddressees] = to;

  async function copyNames() {
    const copied = await copyText(value.map(({ name }) => name).join('\n'));
    if (copied) notify('Names copied.');
    else notify('Names not copied. Your browser doesn’t allow copying.', 'warn');
  }
  async function copyLink(user: User) {
    if (await copyText(getRegistrationLink(user) ?? '')) notify('Link copied.');
    else setByHand(user);
  }
  const hiddenCount = notNotifiedCount - Math.min(value.length, MAX_LISTED_PEOPLE);
  const heading = `${notNotifiedCount.toLocaleString()} won’t be notified`;
  const hasNames = value.length > 0;
  const board =
    onlyAddressee && onlyAddressee.kind !== 'person' && otherAddressees.length === 0 ? (
      <Link className="alone" href={`/admin/reach?${onlyAddressee.kind}=${onlyAddressee.id}`}>
        See who
      </Link>
    ) : undefined;
  return (
    <>
      {!hasNames && (
        <div className="bar">
          <h2>{heading}</h2>
          {board}
        </div>
      )}
      {failure && <Failure retry={reload}>{failure}</Failure>}
      {hasNames && (
        // Folded, so that the buttons to send stay near on a phone.
        <details className="panel">
          <summary>{heading}</summary>
          <ul className="rows">
            {value.slice(0, MAX_LISTED_PEOPLE).map(({ name, reason, invitedUser }) => (
              <li key={name}>
                <div>
                  <span>
                    <b>
                      <bdi>{name}</bdi>
                    </b>{' '}
                    <span>{reason}</span>
                  </span>
                  {invitedUser && getRegistrationLink(invitedUser) && (
                    <button
                      type="button"
                      className="plain"
                      aria-label={`Copy link for ${name}`}
                      onClick={() => void copyLink(invitedUser)}
                    >
                      Copy link
                    </button>
                  )}
                </div>
              </li>
            ))}
          </ul>
          <div className="bar">
            {hiddenCount > 0 && <small>And {hiddenCount.toLocaleString()} more.</small>}
            {hiddenCount > 0 && board}
            <button type="button" className="quiet" onClick={() => void copyNames()}>
              Copy names
            </button>
          </div>
        </details>
      )}
      {people > MAX_CHECKED_PEOPLE && (
        <p>
          <small>Names aren’t listed for more than {MAX_CHECKED_PEOPLE} recipients.</small>
        </p>
      )}
      {byHand && <RegistrationLink user={byHand} onClose={() => setByHand(undefined)} />}
    </>
  );
}
