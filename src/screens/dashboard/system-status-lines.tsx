/** System status in words: only what the server recorded, and a remedy for each fault. */
import { Fragment, type ReactNode } from 'react';
import type { Overview } from '../../shared/contract';
import { serverNow } from '../../state/clock';
import { plural } from '../../platform/plural';
import { countedNoun } from '../../ui/lists/Pager';
import { When } from '../../ui/values/When';

export interface SystemStatusLine {
  name: string;
  text: ReactNode;
  /** Tone and word. */
  chip?: readonly ['ok' | 'warn' | 'bad', string];
  /** A button's label, and the text that the button shows. */
  remedy?: readonly [string, ReactNode];
  /** A link's label and address. */
  link?: readonly [string, string];
}

/** How urgent a line is: faults, warnings, what someone can set up, then the rest. */
const urgency = ({ chip, remedy, link }: SystemStatusLine): number =>
  chip ? ['bad', 'warn'].indexOf(chip[0]) : remedy || link ? 2 : 3;

/** The faults come first. `good` has what works, as recorded, and the version. */
export function splitSystemStatus(overview: Overview): {
  shown: SystemStatusLine[];
  good: SystemStatusLine[];
} {
  const lines = systemStatusLines(overview);
  const good = lines.filter(({ chip }) => chip?.[0] === 'ok');
  const version = { name: 'Version', text: `Fieldbell ${overview.health.version}` };
  const shown = lines
    .filter((line) => !good.includes(line))
    .sort((line, other) => urgency(line) - urgency(other));
  return good.length > 0
    ? { shown, good: [...good, version] }
    : { shown: [...shown, version], good };
}

const GOOD_CHIP = ['ok', 'Good'] as const;
const MAX_BACKUP_AGE_MS = 7 * 24 * 3600_000;

const systemStatusLines = ({ health, withheld }: Overview): SystemStatusLine[] => [
  ...(withheld === undefined ? [] : [withheldMessagesLine(withheld)]),
  ...pushServiceLines(health),
  queueLine(health),
  mailLine(health),
  ...webhookLines(health.webhooks),
  ...heldBackLines(health.heldBack),
  accountLine(health),
  ...(health.lastBackupAt === undefined ? [] : [backupLine(health.lastBackupAt)]),
];

const withheldMessagesLine = (count: number): SystemStatusLine => ({
  name: 'Withheld messages',
  text: plural(count, {
    one: '1 message not sent. Its sender can no longer send to one of its topics.',
    other: `${count.toLocaleString()} messages not sent. Their senders can no longer send to one of the topics.`,
  }),
  chip: ['bad', 'Withheld'],
  link: ['Send or cancel', '/admin/messages?state=withheld'],
});

type Health = Overview['health'];

const renderTime = (iso: string | null) => <When iso={iso ?? ''} inside />;

const pushServiceLines = ({ pushServices }: Health): SystemStatusLine[] =>
  pushServices.length > 0
    ? pushServices.map(pushServiceLine)
    : [{ name: 'Push services', text: 'No messages sent yet.' }];

const WAITING_CHIP = ['warn', 'Waiting'] as const;
const REJECTING_CHIP = ['bad', 'Rejecting'] as const;
const REJECTED_REMEDY = [
  'What to do',
  'The push service rejects this server’s credentials, or the service itself has a problem. People whose devices use this push service aren’t notified. The server’s log shows the reason. For Firebase, check FIREBASE_SERVICE_ACCOUNT and restart the server.',
] as const;
const UNREACHABLE_REMEDY = [
  'What to do',
  'Check the server’s network, DNS and firewall. The server must reach this host on port 443. Waiting notifications are sent as soon as the host responds.',
] as const;

type PushService = Health['pushServices'][number];

/** Mentions waiting pushes only if the service is in trouble. */
function pushServiceLine(service: PushService): SystemStatusLine {
  const { host, reason, since, throttledUntil, acceptedAt, triedAt, waiting, oldestAt } = service;
  const name = service.name === 'Others' ? 'Other push services' : `Push service: ${service.name}`;
  const hostText = reason === null ? host : `${host}, ${reason}`;
  const waitingText = waiting > 0 && (
    <>
      {' '}
      {countedNoun(waiting, 'notification')} waiting since {renderTime(oldestAt)}.
    </>
  );
  const lastAcceptedText = acceptedAt ? (
    <> Last message accepted {renderTime(acceptedAt)}.</>
  ) : (
    ' No messages accepted yet.'
  );
  switch (service.state) {
    case 'accepting':
      return { name, text: 'Accepting messages.', chip: GOOD_CHIP };
    case 'quiet':
      return {
        name,
        text: since === null ? 'No traffic yet.' : <>No traffic since {renderTime(since)}.</>,
      };
    case 'reachable':
      return {
        name,
        text: (
          <>
            Reachable again since {renderTime(since)}.{lastAcceptedText}
            {waitingText}
          </>
        ),
      };
    case 'refusing':
      return {
        name,
        text: (
          <>
            Rejecting messages since {renderTime(since)} ({hostText}).{lastAcceptedText}
            {waitingText}
          </>
        ),
        chip: REJECTING_CHIP,
        remedy: REJECTED_REMEDY,
      };
    case 'throttled':
      return {
        name,
        text: (
          <>
            Until {renderTime(throttledUntil ?? null)}, {host} limits how many notifications we can
            send. Urgent messages go first.
            {waitingText}
          </>
        ),
        chip: ['warn', 'Throttled'],
      };
    case 'unreachable':
      return {
        name,
        text: (
          <>
            Unreachable since {renderTime(since)} ({hostText}).{lastAcceptedText}
            {waitingText}
          </>
        ),
        chip: ['bad', 'Unreachable'],
        remedy: UNREACHABLE_REMEDY,
      };
    case 'not_set_up':
      return {
        name,
        text: <>Not set up.{waitingText}</>,
        chip: ['warn', 'Not set up'],
        remedy: [
          'Set up',
          'Set FIREBASE_SERVICE_ACCOUNT to your Firebase service account file, then restart the server.',
        ],
      };
    default:
      return {
        name,
        text: (
          <>
            The last attempt failed {renderTime(triedAt)} ({hostText}).{waitingText}
          </>
        ),
        chip: ['warn', 'Unknown'],
      };
  }
}

function queueLine({ delivery, pushServices, waiting }: Health): SystemStatusLine {
  const name = 'Waiting to be sent';
  const text = waiting > 0 ? `${countedNoun(waiting, 'notification')}.` : 'Queue is empty.';
  if (delivery !== 'late') return { name, text, ...(waiting === 0 && { chip: GOOD_CHIP }) };
  if (pushServices.some(({ state }) => state === 'unreachable'))
    return {
      name,
      text: `${text} A push service is unreachable. We’ll keep trying.`,
      chip: WAITING_CHIP,
    };
  return {
    name,
    text: `${text} At least one is more than 5 minutes overdue.`,
    chip: ['warn', 'Late'],
    remedy: [
      'What to do',
      'Check the push services above and the server’s log. When the push services accept messages again, notifications are sent automatically.',
    ],
  };
}

function mailLine({ mail: state, mailSentAt: sentAt }: Health): SystemStatusLine {
  const name = 'Email';
  const advice = 'Check SMTP_URL. The server’s log shows the mail server’s response.';
  const lastAcceptedText = sentAt && <> Last email accepted {renderTime(sentAt)}.</>;
  switch (state) {
    case 'not_set_up':
      return {
        name,
        text: 'Not set up. People can’t reset passwords.',
        remedy: [
          'Set up email',
          <>
            Set SMTP_URL to your mail server, such as{' '}
            <code>smtps://name:password@mail.example.com</code>, and MAIL_FROM to the address that
            emails come from. Then restart the server.
          </>,
        ],
      };
    case 'failing':
      return {
        name,
        text: <>The mail server rejects our mail.{lastAcceptedText}</>,
        chip: ['bad', 'Failing'],
        remedy: ['What to do', advice],
      };
    case 'late':
      return {
        name,
        text: <>Some emails are more than 5 minutes overdue.{lastAcceptedText}</>,
        chip: ['warn', 'Late'],
        remedy: ['What to do', advice],
      };
    default:
      if (sentAt === null) return { name, text: 'Set up but not used yet.' };
      return { name, text: <>Accepting email.{lastAcceptedText}</>, chip: GOOD_CHIP };
  }
}

/** Omitted if there are no webhooks. */
function webhookLines({
  failing,
  off,
  total,
  waiting,
  succeededAt,
}: Health['webhooks']): SystemStatusLine[] {
  const line = { name: 'Webhooks', link: ['See webhooks', '/admin/webhooks'] } as const;
  if (failing || off) {
    const parts = [
      ...(failing > 0
        ? [`${countedNoun(failing, 'webhook')} ${failing === 1 ? 'is' : 'are'} failing`]
        : []),
      ...(off > 0 ? [`${countedNoun(off, 'webhook')} ${off === 1 ? 'is' : 'are'} disabled`] : []),
    ];
    const chip = off > 0 ? (['bad', 'Disabled'] as const) : (['warn', 'Failing'] as const);
    return [{ ...line, text: `${parts.join(', ')}.`, chip }];
  }
  if (!total) return [];
  if (waiting) return [{ ...line, text: `${countedNoun(waiting, 'call')} waiting.` }];
  if (!succeededAt) return [{ ...line, text: 'Not used yet.' }];
  return [{ ...line, text: <>Last call succeeded {renderTime(succeededAt)}.</>, chip: GOOD_CHIP }];
}

/** The text is in the past tense: a key soon has room again, and then repeated alerts are sent. */
function heldBackLines(keys: Health['heldBack']): SystemStatusLine[] {
  const [firstKey, ...otherKeys] = keys;
  if (firstKey === undefined) return [];
  const isOne = otherKeys.every(({ topic }) => topic === firstKey.topic);
  const query = isOne ? `?query=${encodeURIComponent(firstKey.topic)}` : '';
  const text = keys.map(({ key, topic, alerts, since }) => (
    <Fragment key={`${since} ${topic} ${key}`}>
      The key “<bdi>{key}</bdi>” for <bdi>{topic}</bdi> exceeded its limit {renderTime(since)}. At
      least {countedNoun(alerts, 'message')} {alerts === 1 ? 'was' : 'were'} rejected.{' '}
    </Fragment>
  ));
  const link = [isOne ? 'See topic' : 'See topics', `/admin/topics${query}`] as const;
  return [{ name: 'Topic keys', text, chip: ['warn', 'Limit exceeded'], link }];
}

function accountLine({ ownEmail }: Health): SystemStatusLine {
  const name = 'Your account';
  if (ownEmail) return { name, text: 'Your account has an email address.', chip: GOOD_CHIP };
  return {
    name,
    text: 'Your account has no email address yet.',
    link: ['Add email', '/account'],
  };
}

function backupLine(backupAt: string | null): SystemStatusLine {
  const name = 'Backup';
  const remedy = [
    'What to do',
    <>
      Run the admin command <code>backup FILE</code> on the server, ideally every night. With
      PostgreSQL, use <code>pg_dump</code>, then run the admin command <code>backup-made</code>.
    </>,
  ] as const;
  if (typeof backupAt !== 'string') return { name, text: 'No backup yet.', remedy };
  const text = (
    <>
      Last backup <When iso={backupAt} inside />.
    </>
  );
  if (serverNow() - Date.parse(backupAt) < MAX_BACKUP_AGE_MS)
    return { name, text, chip: GOOD_CHIP };
  return { name, text, chip: ['warn', 'Old'], remedy };
}
