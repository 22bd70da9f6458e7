import { useMemo, useState } from 'react';
import { Link } from 'wouter';
import type { Imported, Invitation } from '../../shared/contract';
import {
  INVITATIONS_FAILED,
  INVITATIONS_PER_PART,
  readInvitationPart,
} from '../../state/users/importing';
import { Icon } from '../../ui/Icon';
import { Day } from '../../ui/values/Day';
import { QrCode } from '../../ui/values/QrCode';
import { countedNoun, Pager, rangeText } from '../../ui/lists/Pager';
import { Empty, Failure, Heading, Skeleton } from '../../ui/page';
import { Select } from '../../ui/forms/Select';
import { useLoad } from '../lists/use-load';
import { registeredText, importTitle } from './import-texts';

type MailFilter = '' | 'none';

/** A card with a code for each person who has not registered, to cut out and hand over. */
export function InvitationList({ importResult }: { importResult: Imported | undefined }) {
  const [filter, setFilter] = useState<MailFilter>('');
  const [part, setPart] = useState(1);
  const query = useMemo(() => ({ mail: filter || undefined, part }), [filter, part]);
  const { value, failure, loading, reload } = useLoad(
    query,
    readInvitationPart,
    INVITATIONS_FAILED,
  );
  const rows = value?.invitations ?? [];
  const lastPart = Math.max(1, Math.ceil((value?.total ?? 0) / INVITATIONS_PER_PART));
  return (
    <>
      <Link className="back noprint" href={importResult ? '/admin/users/import' : '/admin/users'}>
        <Icon name="chevron" />
        {importResult ? importTitle(importResult) : 'Users'}
      </Link>
      <div className="bar noprint">
        <Heading>Invitations</Heading>
        <Select
          label="Show"
          name="which"
          options={[
            ['none', `Without email${formatCount(value?.withoutEmail)}`],
            ['', `Not registered yet${formatCount(value?.pending)}`],
          ]}
          value={filter}
          onChoose={(chosen) => {
            setFilter(chosen);
            setPart(1);
          }}
        />
        {rows.length > 0 && (
          <button type="button" className="full" onClick={() => print()}>
            Print {countedNoun(rows.length, 'invitation')}
          </button>
        )}
      </div>
      <p className="noprint muted">
        Eight per A4 sheet. Each code works once. Give it only to the person named.{' '}
        {value?.newest && `Last import: ${registeredText(value.newest)}`}
      </p>
      {failure && <Failure retry={reload}>{failure}</Failure>}
      {!value && loading && <Skeleton />}
      {value && rows.length === 0 && (
        <Empty>
          {value.pending > 0
            ? 'Everyone who hasn’t registered has an email address.'
            : 'Everyone has registered.'}
        </Empty>
      )}
      {rows.length > 0 && (
        <ul className="cards" aria-busy={loading || undefined}>
          {rows.map((row) => (
            <Card key={row.id} invitation={row} />
          ))}
        </ul>
      )}
      {lastPart > 1 && (
        <div className="noprint">
          <Pager page={Math.min(part, lastPart)} last={lastPart} onGo={setPart}>
            {rangeText(
              { page: part, limit: INVITATIONS_PER_PART, total: value?.total ?? 0, rows },
              'invitation',
            )}
          </Pager>
        </div>
      )}
    </>
  );
}

const formatCount = (count: number | undefined): string =>
  count === undefined ? '' : ` (${count.toLocaleString()})`;

const Card = ({ invitation }: { invitation: Invitation }) => (
  <li>
    <QrCode
      text={invitation.registrationLink}
      label={`QR code with the registration link for ${invitation.username}`}
    />
    <div>
      <b>
        <bdi>{invitation.username}</bdi>
      </b>
      {invitation.instructions ? (
        <p lang={invitation.language} dir="auto">
          {invitation.instructions}
        </p>
      ) : (
        <p>
          Scan the code with your camera and set a password. Then tap Install App and Enable
          Notifications.
        </p>
      )}
      <small>
        <bdi>{getHost(invitation.registrationLink)}</bdi>
        <br />
        Valid until <Day iso={invitation.expiresAt} />
      </small>
    </div>
  </li>
);

const getHost = (link: string): string => (URL.canParse(link) ? new URL(link).host : '');
