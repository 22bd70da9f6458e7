import * as v from 'valibot';
import { isTimeZone, coversWholeWeek, type QuietRule } from '../quiet-hours';
import {
  countSchema,
  withDescription,
  nullableTimestampSchema,
  withExamples,
  sampleText,
} from './common';
import type { CallTable } from './common';
import { cleanText, hasAtMost } from './fields';

export const MAX_QUIET_RULES = 14;

const dayTimeText = (example: string) =>
  withDescription(v.string(), 'A time of day, as `HH:MM`.', example);
export const quietRuleSchema = v.object({
  days: withDescription(
    v.array(v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(7))),
    'The days on which the rule starts: 1 is Monday, 7 is Sunday. A rule can end on the next day.',
    [1, 2, 3, 4, 5, 6, 7],
  ),
  from: dayTimeText('22:00'),
  to: dayTimeText('06:00'),
});
export const savedHoursFields = {
  timeZone: sampleText('Europe/Oslo'),
  rules: v.array(quietRuleSchema),
};
export const quietHoursSchema = v.object({
  ...savedHoursFields,
  quietUntil: withDescription(
    nullableTimestampSchema,
    'When your current quiet hours end. Null if you have no quiet hours now.',
    null,
  ),
  waiting: withDescription(
    countSchema,
    'How many messages will notify you when your quiet hours end.',
    0,
  ),
});

export type { QuietHours, QuietRule } from '../quiet-hours';
export type QuietHoursNow = v.InferOutput<typeof quietHoursSchema>;

const DAYS_RULE_TEXT = 'Days must be numbers from 1 (Monday) to 7 (Sunday), each at most once.';
const dayTime = (name: string, example: string) =>
  withExamples(
    v.pipe(
      v.string(),
      v.regex(
        /^([01]\d|2[0-3]):[0-5]\d$/,
        `${name} must be a time from 00:00 to 23:59, such as 22:00.`,
      ),
    ),
    example,
  );
const newRuleSchema = v.object({
  days: withExamples(
    v.pipe(
      v.array(v.unknown()),
      v.minLength(1, 'Choose at least one day.'),
      v.maxLength(7, DAYS_RULE_TEXT),
      v.array(
        v.pipe(
          v.number(),
          v.integer(DAYS_RULE_TEXT),
          v.minValue(1, DAYS_RULE_TEXT),
          v.maxValue(7, DAYS_RULE_TEXT),
        ),
      ),
      v.check((days) => new Set(days).size === days.length, DAYS_RULE_TEXT),
    ) as v.GenericSchema<number[]>,
    [1, 2, 3, 4, 5, 6, 7],
  ),
  from: dayTime('From', '22:00'),
  to: dayTime('To', '06:00'),
});
const newHoursSchema = v.object({
  timeZone: withExamples(
    v.pipe(
      cleanText('Time zone'),
      v.check(hasAtMost(64), 'Time zone is too long. Use 64 characters or fewer.'),
      // Newer versions of Intl accept offsets such as +01:00, which some browsers do not.
      v.check(
        (name) => /^[A-Za-z]/.test(name) && isTimeZone(name),
        'Time zone must be an IANA name, such as Europe/Oslo.',
      ),
    ),
    'Europe/Oslo',
  ),
  rules: withExamples(
    v.pipe(
      v.array(v.unknown()),
      v.maxLength(MAX_QUIET_RULES, `At most ${MAX_QUIET_RULES} rules can be saved.`),
      v.array(newRuleSchema),
      v.check(
        (rules) => !coversWholeWeek(rules),
        'These quiet hours would never end. Leave a gap.',
      ),
    ) as unknown as v.GenericSchema<QuietRule[]>,
    [{ days: [1, 2, 3, 4, 5, 6, 7], from: '22:00', to: '06:00' }],
  ),
});

export const quietCalls = {
  'GET /api/notifications/quiet-hours': {
    does: 'Get your quiet hours',
    more: 'By default, there are no rules and the time zone is `UTC`.',
    response: quietHoursSchema,
  },
  'PUT /api/notifications/quiet-hours': {
    does: 'Set your quiet hours',
    more: 'During quiet hours, `info` messages do not notify you until the quiet hours end. `normal` and `urgent` messages notify you immediately.',
    body: newHoursSchema,
    response: quietHoursSchema,
    errors: { 400: 'The body is invalid, or the quiet hours would never end.' },
  },
} satisfies CallTable;
