import type { Imported, InvitationPage } from '../../shared/contract';
import { countedNoun } from '../../ui/lists/Pager';

/** The state of an invitation. */
export const INVITATION_STATES = new Map<string, { words: string; tone?: string }>([
  ['none', { words: 'No email' }],
  ['waiting', { words: 'On its way' }],
  ['sent', { words: 'Sent', tone: 'ok' }],
  ['failed', { words: 'Failed', tone: 'bad' }],
  ['opened', { words: 'Opened', tone: 'ok' }],
  ['registered', { words: 'Registered', tone: 'ok' }],
]);

type Newest = InvitationPage['newest'];

/** The result's title: `47 users added`, or `3 users subscribed` if all users existed. */
export const importTitle = ({ created, rows, unchanged }: Imported): string =>
  created > 0
    ? `${countedNoun(created, 'user')} added`
    : `${countedNoun(rows - unchanged, 'user')} subscribed`;

export const MAIL_NOT_SET_UP =
  'Email isn’t set up. Copy or print each person’s registration link instead.';

/** Formats `, 44 emails sent`. Empty text if no email was sent or the state is unknown. */
export function mailText(mails: NonNullable<Newest>['mails'] | undefined): string {
  if (!mails) return '';
  const { waiting, sent, failed } = mails;
  const total = waiting + sent + failed;
  if (total === 0) return '';
  const sentText =
    waiting > 0
      ? `, ${sent.toLocaleString()} of ${countedNoun(total, 'email')} sent`
      : `, ${countedNoun(sent, 'email')} sent`;
  return failed > 0 ? `${sentText}, ${failed.toLocaleString()} failed` : sentText;
}

/** Describes existing people, and people without an email address. */
export function othersText({ rows, created, unchanged, links }: Imported): string {
  const existingCount = rows - created;
  const subscribedCount = existingCount - unchanged;
  const withoutEmailCount = links.filter(({ email }) => !email).length;
  const parts: string[] = [];
  if (created > 0 && existingCount > 0)
    parts.push(
      subscribedCount === existingCount
        ? `${countedNoun(existingCount, 'user')} already existed and ${existingCount === 1 ? 'was' : 'were'} subscribed.`
        : subscribedCount === 0
          ? `${countedNoun(existingCount, 'user')} already existed.`
          : `${countedNoun(existingCount, 'user')} already existed. ${subscribedCount.toLocaleString()} of them ${subscribedCount === 1 ? 'was' : 'were'} subscribed.`,
    );
  if (withoutEmailCount > 0)
    parts.push(
      `${countedNoun(withoutEmailCount, 'user')} ${withoutEmailCount === 1 ? 'has' : 'have'} no email address. Give them their link or a printed invitation.`,
    );
  return parts.join(' ');
}

/** `12 of 49 registered.`, or empty. */
export const registeredText = (newestImport: Newest | undefined): string =>
  newestImport
    ? `${newestImport.registered.toLocaleString()} of ${newestImport.people.toLocaleString()} registered.`
    : '';
