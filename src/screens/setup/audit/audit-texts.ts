/**
 * The log stores English sentences, since an entry never changes. They are shown in the app's
 * language. Names, codes and sentences of another version are shown as stored.
 */
import { plural } from '../../../platform/plural';
import type { AuditEntry } from '../../../shared/contract';
import { countedNoun } from '../../../ui/lists/Pager';
import { dayText } from '../../../ui/values/Day';
import { timeOfDay } from '../../../ui/values/When';
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

const parseNumber = (text: string): number => Number(text.replaceAll(',', ''));
const formatNumber = (text: string): string => parseNumber(text).toLocaleString();
/** With the year: a record is read and copied years later. */
const formatTime = (iso: string): string => `${dayText(iso, true)} ${timeOfDay(iso)}`;

const ROLE_TEXTS: Sentences = {
  Admin: ROLE_NAMES.ADMIN,
  Technician: ROLE_NAMES.TECHNICIAN,
  Customer: ROLE_NAMES.CUSTOMER,
};
const translateRole = (stored: string): string => translate(stored, ROLE_TEXTS);
const PRIORITY_TEXTS: Sentences = { urgent: PRIORITY_NAMES.urgent, info: PRIORITY_NAMES.info };
const FIELD_TEXTS: Sentences = { Username: 'Username', Email: 'Email', Language: 'Language' };
const DEVICE_TYPE_TEXTS: Sentences = { computer: 'computer', 'iPhone or iPad': 'iPhone or iPad' };
const BEFORE_SENDING_TEXTS: Sentences = {
  'Before the message was sent': 'Before the message was sent',
  // Older entries use this sentence.
  'Before it was sent': 'Before the message was sent',
};

const PEOPLE_COUNT = sentencePattern(/^([\d,]+) (?:person|people)$/s, (count) =>
  peopleCount(parseNumber(count)),
);
const DEVICE_COUNT = sentencePattern(/^([\d,]+) devices?$/s, (count) =>
  countedNoun(parseNumber(count), 'device'),
);
const translateDevices = (stored: string): string => translate(stored, DEVICE_COUNT);
const SUBSCRIBER_COUNT = sentencePattern(/^([\d,]+) subscribers?$/s, (count) =>
  countedNoun(parseNumber(count), 'subscriber'),
);
const STEP_COUNT = sentencePattern(/^([\d,]+) steps?$/s, (count) =>
  countedNoun(parseNumber(count), 'step'),
);
const PRESSED_AT = sentencePattern(
  /^(?:Button p|P)ressed at (\S+)$/s,
  (iso) => `Button pressed at ${formatTime(iso)}`,
);
const SCHEDULED_FOR = sentencePattern(
  /^scheduled for (\S+)$/s,
  (iso) => `Scheduled for ${formatTime(iso)}`,
);

/** Translates each part, such as the changed fields, or a device's browser and type. */
const createListPattern = (names: Sentences): Pattern =>
  sentencePattern(/^(.*)$/s, (texts) =>
    texts
      .split(', ')
      .map((text) => translate(text, names))
      .join(', '),
  );

/** Entries of 0.1 have other words. */
const importText = (added = '', subscribed = ''): string =>
  `Users added: ${formatNumber(added)}, existing users subscribed: ${formatNumber(subscribed)}`;

/** Reasons by the server's codes (`server/accounts/company/linked-account.ts`). */
const COMPANY_REJECTIONS: Record<string, string> = {
  unknown: 'no account with the email address',
  unverified: 'the company has not verified the email address',
  unverified_here: 'the email address is not verified in Fieldbell',
  linked: 'the account is linked to another company account',
  suspended: 'the account is suspended',
};

/** Rules by action. Details without a rule are names, codes or empty. */
const DETAIL_RULES: Readonly<Record<string, readonly Rule[]>> = {
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
      plural(parseNumber(times), {
        one: `${formatNumber(times)} time within an hour, across all networks`,
        other: `${formatNumber(times)} times within an hour, across all networks`,
      }),
    ),
  ],
  'password.reset': [{ 'With an emailed link': 'With an emailed link' }],
  'account.link': [
    { 'Removed the earlier password and devices': 'Removed the earlier password and devices' },
  ],
  'user.add': [
    { ...ROLE_TEXTS, 'First administrator': 'First administrator' },
    sentencePattern(
      /^(\w+), subscribed to (.*)$/s,
      (as, topics) => `${translateRole(as)}, subscribed to ${topics}`,
    ),
  ],
  'user.import': [
    sentencePattern(/^Added ([\d,]+), subscribed ([\d,]+) who already existed$/s, importText),
    sentencePattern(/^([\d,]+) added, ([\d,]+) existing subscribed$/s, importText),
  ],
  'user.change': [createListPattern(FIELD_TEXTS)],
  'user.role': [
    sentencePattern(
      /^(\w+) to (\w+)$/s,
      (before, after) => `${translateRole(before)} to ${translateRole(after)}`,
    ),
  ],
  'user.auditor': [{ Added: 'Added', Removed: 'Removed' }],
  'team.change': [sentencePattern(/^Formerly (.*)$/s, (name) => `Formerly ${name}`)],
  'team.delete': [
    sentencePattern(/^([\d,]+) members?$/s, (count) => countedNoun(parseNumber(count), 'member')),
  ],
  'topic.delete': [
    SUBSCRIBER_COUNT,
    sentencePattern(/^(.*), ([\d,]+) heartbeats?$/s, (subscribers, count) =>
      [
        translate(subscribers, SUBSCRIBER_COUNT),
        plural(parseNumber(count), {
          one: `${formatNumber(count)} heartbeat deleted`,
          other: `${formatNumber(count)} heartbeats deleted`,
        }),
      ].join(', '),
    ),
  ],
  'key.limit': [
    sentencePattern(/^(.*): (?:at least )?([\d,]+) messages? rejected$/s, (name, count) =>
      plural(parseNumber(count), {
        one: `${name}: at least ${formatNumber(count)} message rejected`,
        other: `${name}: at least ${formatNumber(count)} messages rejected`,
      }),
    ),
  ],
  'message.send': [
    PEOPLE_COUNT,
    SCHEDULED_FOR,
    sentencePattern(
      /^(.*), (\w+)$/s,
      (whom, priority) =>
        `${translate(whom, PEOPLE_COUNT, SCHEDULED_FOR)} · ${translate(priority, PRIORITY_TEXTS)}`,
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
  'message.cancel': [{ ...BEFORE_SENDING_TEXTS, 'User suspended': 'User suspended' }],
  'message.correct': [
    {
      ...BEFORE_SENDING_TEXTS,
      'Answers requested again': 'Answers requested again',
      'Answers kept': 'Answers kept',
    },
  ],
  'check-in.start': [
    sentencePattern(/^([\d,]+) minutes?$/s, (count) => countedNoun(parseNumber(count), 'minute')),
  ],
  'check-in.ok': [PRESSED_AT],
  'check-in.help': [PRESSED_AT],
  'check-in.end': [
    {
      'After an alarm': 'After an alarm',
      'Without an alarm': 'Without an alarm',
      'User suspended, after an alarm': 'User suspended, after an alarm',
      'User suspended, without an alarm': 'User suspended, without an alarm',
    },
  ],
  'check-in.alarm': [
    {
      'Asked for help': 'Asked for help',
      'No answer in time': 'No answer in time',
      'The earlier alarm no longer reached anyone': 'The earlier alarm no longer reached anyone',
    },
  ],
  'check-in.settings': [
    { Off: 'Off' },
    // Older entries end after the number of minutes.
    sentencePattern(
      /^On, alarm (?:after )?([\d,]+) minutes?(?: after the time is up)?$/s,
      (count) =>
        plural(parseNumber(count), {
          one: `On, alarm ${formatNumber(count)} minute after the time is up`,
          other: `On, alarm ${formatNumber(count)} minutes after the time is up`,
        }),
    ),
  ],
  'policy.add': [STEP_COUNT],
  'policy.change': [STEP_COUNT],
  'device.remove': [
    sentencePattern(/^(.*), and ([\d,]+) more devices? of the same session$/s, (device, count) => {
      const removed = translate(device, createListPattern(DEVICE_TYPE_TEXTS));
      return plural(parseNumber(count), {
        one: `${removed}, and ${formatNumber(count)} more device signed in with the same session`,
        other: `${removed}, and ${formatNumber(count)} more devices signed in with the same session`,
      });
    }),
    createListPattern(DEVICE_TYPE_TEXTS),
  ],
  'reach.test': [
    DEVICE_COUNT,
    sentencePattern(
      /^(.*), ([\d,]+) skipped during quiet hours$/s,
      (tested, skipped) =>
        `${translateDevices(tested)}, ${formatNumber(skipped)} skipped during quiet hours`,
    ),
  ],
  export: [
    {
      'All data stored about this person': 'All data stored about this person',
      'Recipients of a message': 'Recipients of a message',
      'Search results only': 'Search results only',
    },
    sentencePattern(/^([\d,]+) days?$/s, (count) => countedNoun(parseNumber(count), 'day')),
  ],
};

/** What was repeated, and how often. */
const createRepeatPatterns = (rules: readonly Rule[]): Pattern[] => [
  sentencePattern(
    /^(?:(.*), )?([\d,]+) more times? since ([\d-]+) ([\d:]+) UTC$/s,
    (before, count, day, clock) => {
      const since = formatTime(`${day}T${clock}Z`);
      const times = plural(parseNumber(count), {
        one: `${formatNumber(count)} more time since ${since}`,
        other: `${formatNumber(count)} more times since ${since}`,
      });
      return before === undefined ? times : [translate(before, ...rules), times].join(', ');
    },
  ),
  sentencePattern(/^(.*), ([\d,]+) times within an hour$/s, (before, count) =>
    [
      translate(before, ...rules),
      plural(parseNumber(count), {
        one: `${formatNumber(count)} time within an hour`,
        other: `${formatNumber(count)} times within an hour`,
      }),
    ].join(', '),
  ),
];

/** What changed, in the app's language. */
export function auditDetail({ action, detail }: Pick<AuditEntry, 'action' | 'detail'>): string {
  const rules = Object.hasOwn(DETAIL_RULES, action) ? (DETAIL_RULES[action] ?? []) : [];
  return translate(detail, ...createRepeatPatterns(rules), ...rules);
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

const GROUP_TEXTS: Sentences = { Team: 'Team', Teams: 'Teams' };
/** Translates audiences that are recorded without names. */
const AUDIENCE_RULES: readonly Rule[] = [
  PEOPLE_COUNT,
  sentencePattern(
    /^(Teams?)( \+ \d+)?$/s,
    (groups, more = '') => `${translate(groups, GROUP_TEXTS)}${more}`,
  ),
];
const TARGET_RULES: Readonly<Record<string, readonly Rule[]>> = {
  'login.failed': [{ 'unknown account': 'unknown account', 'many accounts': 'many accounts' }],
  'reach.test': [{ everybody: 'everybody' }],
  export: [{ 'Audit log': 'Audit log', Insights: 'Insights' }],
  'message.send': [PEOPLE_COUNT],
  message: AUDIENCE_RULES,
};

/** Who or what was affected: mostly a name. */
export function auditTarget({ action, target }: Pick<AuditEntry, 'action' | 'target'>): string {
  const key = Object.hasOwn(TARGET_RULES, action) ? action : action.replace(/\..*/, '');
  return translate(
    target,
    ...(Object.hasOwn(TARGET_RULES, key) ? (TARGET_RULES[key] ?? []) : []),
    DELETED_USER,
  );
}
