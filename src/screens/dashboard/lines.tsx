/** Whether everything is well, in words: only what the server knows, and for each fault what helps. */
import type { ReactNode } from 'react';
import type { Overview } from '../../shared/contract';
import { now } from '../../state/clock';
import { amount } from '../../ui/lists/Pager';
import { When } from '../../ui/values/When';

export interface Line {
  name: string;
  text: ReactNode;
  /** A word for its state, with its colour. */
  chip?: readonly ['ok' | 'warn' | 'bad', string];
  /** The words of a button, and what it tells. */
  remedy?: readonly [string, ReactNode];
  /** The words of a link to where it is mended, and its address. */
  mend?: readonly [string, string];
}

const GOOD = ['ok', 'Good'] as const;
/** A backup that is older is too old. */
const OLD_MS = 7 * 24 * 3600_000;

export const linesOf = ({ health }: Overview): Line[] => [
  pushServices(health),
  queue(health),
  mail(health),
  ...(health.webhooks ? webhooks(health.webhooks) : []),
  account(health),
  ...(health.lastBackupAt === undefined ? [] : [backup(health.lastBackupAt)]),
  { name: 'Version', text: `Fieldbell ${health.version}` },
];

type Health = Overview['health'];

function pushServices({ delivery }: Health): Line {
  const name = 'Push services';
  if (delivery !== 'refused') return { name, text: 'They take our messages.', chip: GOOD };
  return {
    name,
    text: 'One of them does not take our messages.',
    chip: ['bad', 'Refused'],
    remedy: [
      'What to do',
      'It refuses the credentials of this server: nobody with such a device is notified. The server’s log says which one it is. For Firebase, check FIREBASE_SERVICE_ACCOUNT and start the server again.',
    ],
  };
}

function queue({ delivery, waiting }: Health): Line {
  const name = 'Waiting to be sent';
  const text = waiting > 0 ? `${amount(waiting, 'notification')}.` : 'Nothing waits.';
  if (delivery !== 'late') return { name, text, chip: GOOD };
  return {
    name,
    text: `${text} Some should have left minutes ago.`,
    chip: ['warn', 'Late'],
    remedy: [
      'What to do',
      'The server’s log says why. Where its network was cut off, they leave by themselves once it is back.',
    ],
  };
}

function mail({ mail: state }: Health): Line {
  const name = 'Mail';
  const checked = 'Check SMTP_URL, and the server’s log for what the mail server says.';
  switch (state) {
    case 'not_set_up':
      return {
        name,
        text: 'Not set up: nobody can reset a password.',
        remedy: [
          'Set up mail',
          <>
            Start the server with the address of a mail server in SMTP_URL, such as{' '}
            <code>smtps://name:password@mail.example.com</code>, and its sender in MAIL_FROM.
          </>,
        ],
      };
    case 'failing':
      return {
        name,
        text: 'The mail server takes none of ours.',
        chip: ['bad', 'Failing'],
        remedy: ['What to do', checked],
      };
    case 'late':
      return {
        name,
        text: 'Some should have left minutes ago.',
        chip: ['warn', 'Late'],
        remedy: ['What to do', checked],
      };
    default:
      return { name, text: 'The mail server takes ours.', chip: GOOD };
  }
}

/** Nothing where none fails: most have no webhooks at all. */
function webhooks({ failing, off }: NonNullable<Health['webhooks']>): Line[] {
  if (!failing && !off) return [];
  const parts = [
    ...(failing > 0 ? [`${amount(failing, 'webhook')} ${failing === 1 ? 'fails' : 'fail'}`] : []),
    ...(off > 0 ? [`${amount(off, 'webhook')} ${off === 1 ? 'is' : 'are'} switched off`] : []),
  ];
  return [
    {
      name: 'Webhooks',
      text: `${parts.join(', ')}.`,
      chip: off > 0 ? ['bad', 'Switched off'] : ['warn', 'Failing'],
      mend: ['See webhooks', '/admin/webhooks'],
    },
  ];
}

function account({ ownEmail }: Health): Line {
  const name = 'Your account';
  if (ownEmail) return { name, text: 'It has an e-mail address.', chip: GOOD };
  return {
    name,
    text: 'It has no e-mail address.',
    mend: ['Add e-mail', '/account'],
  };
}

function backup(at: string | null): Line {
  const name = 'Backup';
  const remedy = [
    'What to do',
    <>
      Make one on the server, best every night: <code>npm run admin -- backup</code> with the name
      of a file.
    </>,
  ] as const;
  if (typeof at !== 'string') return { name, text: 'There is none yet.', remedy };
  const text = (
    <>
      Last one <When iso={at} inside />.
    </>
  );
  if (now() - Date.parse(at) < OLD_MS) return { name, text, chip: GOOD };
  return { name, text, chip: ['warn', 'Old'], remedy };
}
