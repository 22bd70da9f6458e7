import { useEffect, useLayoutEffect, useRef, useState } from 'react';
import { Link } from 'wouter';
import { watchWhileVisible } from '../../platform/visibility';
import type { Imported, Invitation, InvitationPage } from '../../shared/contract';
import { createLinksFile, readInvitationStates } from '../../state/users/importing';
import { ClientPager } from '../../ui/lists/ClientPager';
import { copyText } from '../../ui/clipboard';
import { download } from '../../ui/download';
import { Icon } from '../../ui/Icon';
import { lazy } from '../../ui/lazy';
import { notify } from '../../ui/notices';
import { countedNoun } from '../../ui/lists/Pager';
import { Heading } from '../../ui/page';
import { PageSizeSelect, usePageSize } from '../lists/PageSize';
import {
  INVITATION_STATES,
  mailText,
  MAIL_NOT_SET_UP,
  othersText,
  registeredText,
  importTitle,
} from './import-texts';
import { TableHead } from '../../ui/lists/TableHead';

const ManualCopyDialog = lazy(() =>
  import('../lists/ManualCopyDialog').then((module) => module.ManualCopyDialog),
);

/** How often to refresh the state of mails and links. */
const RELOAD_EVERY_MS = 5000;

/** The result of an import, with the new people's links. */
export function ImportResult({ importResult }: { importResult: Imported }) {
  const { links } = importResult;
  const [manualInvitation, setByHand] = useState<Invitation>();
  const [shownInvitations, setShownInvitations] = useState<readonly Invitation[]>([]);
  const states = useStates(shownInvitations);
  const { pageSize: portion, choose, limit } = usePageSize('25');
  const release = useRef(() => {});
  useLayoutEffect(() => () => release.current(), []);
  // Another administrator may have imported since.
  const newestImport = states?.response.newest;
  const shownImport = newestImport?.importedAt === links[0]?.importedAt ? newestImport : undefined;
  const isMailed = (states?.response ?? importResult).mail !== 'not_set_up';
  async function copyLink(link: Invitation) {
    if (await copyText(link.registrationLink))
      notify(`Registration link for ${link.username} copied.`);
    else setByHand(link);
  }
  return (
    <>
      <Link className="back" href="/admin/users">
        <Icon name="chevron" />
        Users
      </Link>
      <div className="bar">
        <Heading>{importTitle(importResult)}</Heading>
        {links.length > 0 && (
          <>
            <button
              type="button"
              className="plain full"
              onClick={() => {
                release.current();
                release.current = download(createLinksFile(links), 'registration-links.csv');
              }}
            >
              Download links as CSV
            </button>
            <Link className="press full" href="/admin/users/invitations">
              Print {countedNoun(links.length, 'invitation')}
            </Link>
          </>
        )}
      </div>
      <div className="note" data-tone="ok" role="status">
        <b>
          {importTitle(importResult)}
          {isMailed && mailText(shownImport?.mails)}.
        </b>{' '}
        {othersText(importResult)} {!isMailed && links.length > 0 && MAIL_NOT_SET_UP}
      </div>
      {links.length > 0 && (
        <>
          <p className="muted">
            <small>
              {registeredText(shownImport)} Each link works once and expires after 7 days. This list
              disappears when you leave this page. You can copy links later in Users.
            </small>
          </p>
          <ClientPager
            rows={links}
            noun="link"
            portion={limit}
            controls={links.length > 10 && <PageSizeSelect pageSize={portion} onChoose={choose} />}
          >
            {(rows) => (
              <LinkTable
                rows={rows}
                states={states}
                isMailed={isMailed}
                onShow={setShownInvitations}
                onCopy={(link) => void copyLink(link)}
              />
            )}
          </ClientPager>
        </>
      )}
      {manualInvitation && (
        <ManualCopyDialog
          title="Registration link"
          text={manualInvitation.registrationLink}
          onClose={() => setByHand(undefined)}
        >
          Copy the selected link for {<bdi>{manualInvitation.username}</bdi>}.
        </ManualCopyDialog>
      )}
    </>
  );
}

interface States {
  invitations: readonly Invitation[];
  response: InvitationPage;
}

/** The state of the people whose links are shown; undefined until it is known. */
function useStates(invitations: readonly Invitation[]): States | undefined {
  const [states, setStates] = useState<States>();
  useEffect(() => {
    if (invitations.length === 0) return;
    let unmounted = false;
    const watch = watchWhileVisible(async () => {
      // A failure is retried later: the links matter more.
      const response = await readInvitationStates(invitations.map(({ id }) => id)).catch(
        () => undefined,
      );
      if (response && !unmounted) setStates({ invitations, response });
      return RELOAD_EVERY_MS;
    });
    return () => {
      unmounted = true;
      watch.stop();
    };
  }, [invitations]);
  return states;
}

function LinkTable({
  rows,
  states,
  isMailed,
  onShow,
  onCopy,
}: {
  rows: readonly Invitation[];
  states: States | undefined;
  isMailed: boolean;
  onShow: (rows: readonly Invitation[]) => void;
  onCopy: (link: Invitation) => void;
}) {
  useEffect(() => onShow(rows), []); // another page is another table
  return (
    <div className="panel scroll links">
      <table className="dense">
        <TableHead columns={['Username', 'Registration link', 'Email']} actions="Actions" />
        <tbody>
          {rows.map((row) => (
            <ImportedRow
              key={row.id}
              link={row}
              state={sentState(getState(row, states), isMailed)}
              onCopy={onCopy}
            />
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** Everyone missing from the response has registered. */
function getState(link: Invitation, states: States | undefined): string {
  if (!states?.invitations.includes(link)) return link.mail;
  const invitation = states.response.invitations.find(({ id }) => id === link.id);
  if (!invitation) return 'registered';
  return invitation.openedAt ? 'opened' : invitation.mail;
}

/** If no mail server is set up, no mail is on its way. */
const sentState = (state: string, isMailed: boolean): string =>
  isMailed || state === 'opened' || state === 'registered' ? state : 'none';

function ImportedRow({
  link,
  state,
  onCopy,
}: {
  link: Invitation;
  state: string;
  onCopy: (link: Invitation) => void;
}) {
  const { words, tone } = INVITATION_STATES.get(state) ?? { words: state, tone: undefined };
  return (
    <tr>
      <th scope="row">
        <bdi>{link.username}</bdi>
      </th>
      <td data-label="Link">
        <bdi className="long">{link.registrationLink}</bdi>
      </td>
      <td data-label="Email">
        <span className="chip" data-tone={tone}>
          {state === 'none' && link.email ? 'Not sent' : words}
        </span>
      </td>
      <td className="actions">
        {state !== 'registered' && (
          <button
            type="button"
            className="quiet"
            aria-label={`Copy link for ${link.username}`}
            onClick={() => onCopy(link)}
          >
            Copy link
          </button>
        )}
      </td>
    </tr>
  );
}
