/**
 * The log stores English sentences, since an entry never changes. They are shown in the app's
 * language. Names, codes and sentences of another version are shown as stored.
 */
import { plural } from '../../../platform/plural';
import type { AuditEntry } from '../../../shared/contract';
import { countedNoun } from '../../../ui/lists/Pager';
import { timeText } from '../../../ui/values/When';
import { peopleCount, PRIORITY_NAMES } from '../../sent/message-texts';
import { ROLE_NAMES } from '../../user-labels';

/** A whole stored sentence, and what to show for its groups. */
type Pattern = readonly [stored: RegExp, write: (...values: string[]) => string];
/** Stored sentence → shown one. */
type Sentences = Readonly<Record<string, string>>;
type Rule = Pattern | Sentences;

const isPattern = (rule: Rule): rule is Pattern => Array.isArray(rule);

const sentencePattern = (stored: RegExp, write: Pattern[1]): Pattern => [stored, write];

function translate(text: string, ...rules: readonly Rule[]): string {
  for (const rule of rules) {
    if (isPattern(rule)) {
      const match = rule[0].exec(text);
      if (match !== null) return rule[1](...match.slice(1));
    } else if (Object.hasOwn(rule, text)) return rule[text] ?? text;
  }
  return text;
}

const numberIn = (text: string): number => Number(text.replaceAll(',', ''));
const number = (text: string): string => numberIn(text).toLocaleString();
const time = (iso: string): string => timeText(Date.parse(iso));

const ROLES: Sentences = {
  Admin: ROLE_NAMES.ADMIN,
  Technician: ROLE_NAMES.TECHNICIAN,
  Customer: ROLE_NAMES.CUSTOMER,
};
const role = (stored: string): string => translate(stored, ROLES);
const PRIORITIES: Sentences = { urgent: PRIORITY_NAMES.urgent, info: PRIORITY_NAMES.info };
const FIELDS: Sentences = { Username: 'Username', Email: 'Email', Language: 'Language' };
const DEVICE_TYPES: Sentences = { computer: 'computer', 'iPhone or iPad': 'iPhone or iPad' };
const BEFORE_SENDING: Sentences = {
  'Before the message was sent': 'Before the message was sent',
  // Older entries use this sentence.
  'Before it was sent': 'Before the message was sent',
};

const PEOPLE_COUNT = sentencePattern(/^([\d,]+) (?:person|people)$/s, (count) =>
  peopleCount(numberIn(count)),
);
const DEVICE_COUNT = sentencePattern(/^([\d,]+) devices?$/s, (count) =>
  countedNoun(numberIn(count), 'device'),
);
const devices = (stored: string): string => translate(stored, DEVICE_COUNT);
const STEP_COUNT = sentencePattern(/^([\d,]+) steps?$/s, (count) =>
  countedNoun(numberIn(count), 'step'),
);
const PRESSED_AT = sentencePattern(
  /^(?:Button p|P)ressed at (\S+)$/s,
  (iso) => `Button pressed at ${time(iso)}`,
);
const SCHEDULED_FOR = sentencePattern(
  /^scheduled for (\S+)$/s,
  (iso) => `Scheduled for ${time(iso)}`,
);

/** Translates each part, such as the changed fields, or a device's browser and type. */
const listOf = (names: Sentences): Pattern =>
  sentencePattern(/^(.*)$/s, (texts) =>
    texts
      .split(', ')
      .map((text) => translate(text, names))
      .join(', '),
  );

/** Entries of 0.1 have other words. */
const importText = (added = '', subscribed = ''): string =>
  `Users added: ${number(added)}, existing users subscribed: ${number(subscribed)}`;

/** Reasons by the server's codes (`server/accounts/company/person.ts`). */
const COMPANY_REJECTIONS: Record<string, string> = {
  unknown: 'no account with this email address',
  unverified: 'the company has not verified the email address',
  unverified_here: 'the email address is not verified here',
  linked: 'the account is linked to another company account',
  suspended: 'the account is suspended',
};

/** Rules by action. Details without a rule are names, codes or empty. */
const DETAILS: Readonly<Record<string, readonly Rule[]>> = {
  login: [
    {
      'With a password': 'With a password',
      'With a passkey': 'With a passkey',
      'With a recovery code': 'With a recovery code',
      'With an authenticator code': 'With an authenticator code',
      'With a sign-in link for a new phone': 'With a sign-in link for a new phone',
      'Company sign-in': 'Company sign-in',
    },
  ],
  'login.failed': [
    {
      'Wrong password': 'Wrong password',
      'Wrong current password': 'Wrong current password',
      'Wrong passkey': 'Wrong passkey',
      'Wrong code': 'Wrong code',
      Suspended: 'Suspended',
    },
    sentencePattern(/^Company sign-in: (\w+)$/s, (stored) => {
      const code = COMPANY_REJECTIONS[stored] ?? stored;
      return `Company sign-in: ${code}`;
    }),
    sentencePattern(/^([\d,]+) times within an hour, across all networks$/s, (times) =>
      plural(numberIn(times), {
        one: `${number(times)} time within an hour, across all networks`,
        other: `${number(times)} times within an hour, across all networks`,
      }),
    ),
  ],
  'password.reset': [{ 'With an emailed link': 'With an emailed link' }],
  'account.link': [
    { 'Removed the earlier password and devices': 'Removed the earlier password and devices' },
  ],
  'user.add': [
    { ...ROLES, 'First administrator': 'First administrator' },
    sentencePattern(
      /^(\w+), subscribed to (.*)$/s,
      (as, topics) => `${role(as)}, subscribed to ${topics}`,
    ),
  ],
  'user.import': [
    sentencePattern(/^Added ([\d,]+), subscribed ([\d,]+) who already existed$/s, importText),
    sentencePattern(/^([\d,]+) added, ([\d,]+) existing subscribed$/s, importText),
  ],
  'user.change': [listOf(FIELDS)],
  'user.role': [
    sentencePattern(/^(\w+) to (\w+)$/s, (before, after) => `${role(before)} to ${role(after)}`),
  ],
  'user.auditor': [{ Added: 'Added', Removed: 'Removed' }],
  'team.change': [sentencePattern(/^Formerly (.*)$/s, (name) => `Formerly ${name}`)],
  'team.delete': [
    sentencePattern(/^([\d,]+) members?$/s, (count) => countedNoun(numberIn(count), 'member')),
  ],
  'topic.delete': [
    sentencePattern(/^([\d,]+) subscribers?$/s, (count) =>
      countedNoun(numberIn(count), 'subscriber'),
    ),
  ],
  'key.limit': [
    sentencePattern(/^(.*): (?:at least )?([\d,]+) messages? rejected$/s, (name, count) =>
      plural(numberIn(count), {
        one: `${name}: at least ${number(count)} message rejected`,
        other: `${name}: at least ${number(count)} messages rejected`,
      }),
    ),
  ],
  'message.send': [
    PEOPLE_COUNT,
    SCHEDULED_FOR,
    sentencePattern(
      /^(.*), (\w+)$/s,
      (whom, priority) =>
        `${translate(whom, PEOPLE_COUNT, SCHEDULED_FOR)} · ${translate(priority, PRIORITIES)}`,
    ),
  ],
  'message.repeat': [PEOPLE_COUNT],
  'message.withhold': [
    {
      'The sender may no longer send to one of the message’s topics':
        'The sender may no longer send to one of the message’s topics',
      // Older entries use this sentence.
      'Its sender may no longer send to its topics':
        'The sender may no longer send to one of the message’s topics',
    },
  ],
  'message.cancel': [BEFORE_SENDING],
  'message.correct': [
    {
      ...BEFORE_SENDING,
      'Answers requested again': 'Answers requested again',
      'Answers kept': 'Answers kept',
    },
  ],
  'check-in.start': [
    sentencePattern(/^([\d,]+) minutes?$/s, (count) => countedNoun(numberIn(count), 'minute')),
  ],
  'check-in.ok': [PRESSED_AT],
  'check-in.help': [PRESSED_AT],
  'check-in.end': [{ 'After an alarm': 'After an alarm', 'Without an alarm': 'Without an alarm' }],
  'check-in.alarm': [
    { 'Asked for help': 'Asked for help', 'No answer in time': 'No answer in time' },
  ],
  'check-in.settings': [
    { Off: 'Off' },
    sentencePattern(/^On, alarm after ([\d,]+) minutes?$/s, (count) =>
      plural(numberIn(count), {
        one: `On, alarm after ${number(count)} minute`,
        other: `On, alarm after ${number(count)} minutes`,
      }),
    ),
  ],
  'policy.add': [STEP_COUNT],
  'policy.change': [STEP_COUNT],
  'device.remove': [
    sentencePattern(/^(.*), and ([\d,]+) more devices? of the same session$/s, (device, count) => {
      const removed = translate(device, listOf(DEVICE_TYPES));
      return plural(numberIn(count), {
        one: `${removed}, and ${number(count)} more device of the same session`,
        other: `${removed}, and ${number(count)} more devices of the same session`,
      });
    }),
    listOf(DEVICE_TYPES),
  ],
  'reach.test': [
    DEVICE_COUNT,
    sentencePattern(
      /^(.*), ([\d,]+) skipped during quiet hours$/s,
      (tested, skipped) => `${devices(tested)}, ${number(skipped)} skipped during quiet hours`,
    ),
  ],
  export: [
    {
      'All data stored about this person': 'All data stored about this person',
      'Recipients of a message': 'Recipients of a message',
      'Search results only': 'Search results only',
    },
    sentencePattern(/^([\d,]+) days?$/s, (count) => countedNoun(numberIn(count), 'day')),
  ],
};

/** What was repeated, and how often. */
const repeatsOf = (rules: readonly Rule[]): Pattern[] => [
  sentencePattern(
    /^(?:(.*), )?([\d,]+) more times? since ([\d-]+) ([\d:]+) UTC$/s,
    (before, count, day, clock) => {
      const since = time(`${day}T${clock}Z`);
      const times = plural(numberIn(count), {
        one: `${number(count)} more time since ${since}`,
        other: `${number(count)} more times since ${since}`,
      });
      return before === undefined ? times : [translate(before, ...rules), times].join(', ');
    },
  ),
  sentencePattern(/^(.*), ([\d,]+) times within an hour$/s, (before, count) =>
    [
      translate(before, ...rules),
      plural(numberIn(count), {
        one: `${number(count)} time within an hour`,
        other: `${number(count)} times within an hour`,
      }),
    ].join(', '),
  ),
];

/** What changed, in the app's language. */
export function auditDetail({ action, detail }: Pick<AuditEntry, 'action' | 'detail'>): string {
  const rules = Object.hasOwn(DETAILS, action) ? (DETAILS[action] ?? []) : [];
  return translate(detail, ...repeatsOf(rules), ...rules);
}

const DELETED_USER = sentencePattern(/^deleted user (\d+)$/s, (id) => `deleted user ${id}`);

/** The actor's name, or the machine that acted without an account. */
export const auditActor = ({ actor }: Pick<AuditEntry, 'actor'>): string =>
  translate(
    actor,
    { 'command line': 'command line', unknown: 'unknown' },
    sentencePattern(/^key: (.*)$/s, (name) => `key: ${name}`),
    DELETED_USER,
  );

const GROUPS: Sentences = { Team: 'Team', Teams: 'Teams' };
/** Translates audiences that are recorded without names. */
const AUDIENCE: readonly Rule[] = [
  PEOPLE_COUNT,
  sentencePattern(
    /^(Teams?)( \+ \d+)?$/s,
    (groups, more = '') => `${translate(groups, GROUPS)}${more}`,
  ),
];
const TARGETS: Readonly<Record<string, readonly Rule[]>> = {
  'login.failed': [{ 'unknown account': 'unknown account', 'many accounts': 'many accounts' }],
  'reach.test': [{ everybody: 'everybody' }],
  export: [{ 'Audit log': 'Audit log', Insights: 'Insights' }],
  'message.send': [PEOPLE_COUNT],
  message: AUDIENCE,
};

/** Who or what was affected: mostly a name. */
export function auditTarget({ action, target }: Pick<AuditEntry, 'action' | 'target'>): string {
  const key = Object.hasOwn(TARGETS, action) ? action : action.replace(/\..*/, '');
  return translate(
    target,
    ...(Object.hasOwn(TARGETS, key) ? (TARGETS[key] ?? []) : []),
    DELETED_USER,
  );
}
