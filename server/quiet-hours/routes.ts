import * as v from 'valibot';
import { isTimeZone, neverEnds } from '../../src/shared/quiet-hours';
import { cleanText, isWithin } from '../../src/shared/contract/fields';
import type { AddRoute } from '../http/route';
import type { Services } from '../services';
import { readHours, saveHours } from './hours';

const MAX_RULES = 14;
const DAYS = 'Days must be numbers from 1 (Monday) to 7 (Sunday), each once.';

const dayTime = (name: string) =>
  v.pipe(
    v.string(),
    v.regex(
      /^([01]\d|2[0-3]):[0-5]\d$/,
      `${name} must be a time of the day, from 00:00 to 23:59, such as 22:00.`,
    ),
  );
const rule = v.object({
  days: v.pipe(
    v.array(v.unknown()),
    v.minLength(1, 'Choose at least one day.'),
    v.maxLength(7, DAYS),
    v.array(v.pipe(v.number(), v.integer(DAYS), v.minValue(1, DAYS), v.maxValue(7, DAYS))),
    v.check((days) => new Set(days).size === days.length, DAYS),
  ),
  from: dayTime('From'),
  to: dayTime('To'),
});
const hours = v.object({
  timeZone: v.pipe(
    cleanText('Time zone'),
    v.check(isWithin(64), 'Time zone must have at most 64 characters.'),
    // Newer versions of Intl also know offsets such as +01:00, which some browser does not.
    v.check(
      (name) => /^[A-Za-z]/.test(name) && isTimeZone(name),
      'Time zone must be one that there is, such as Europe/Oslo.',
    ),
  ),
  rules: v.pipe(
    v.array(v.unknown()),
    v.maxLength(MAX_RULES, `At most ${MAX_RULES} rules can be kept.`),
    v.array(rule),
    v.check((rules) => !neverEnds(rules), 'These quiet hours would never end: leave a pause.'),
  ),
});

export function addQuietRoutes(add: AddRoute, { db, now, wakeWriting }: Services): void {
  add('GET /api/notifications/quiet-hours', {
    action: 'preferences.read',
    answer: ({ user }) => readHours(user.id, db, now()),
  });
  add('PUT /api/notifications/quiet-hours', {
    action: 'preferences.change',
    body: hours,
    answer: async ({ user, body, transact }) => {
      await transact((transaction) => saveHours(user.id, body, transaction, now()));
      wakeWriting();
      return readHours(user.id, db, now());
    },
  });
}
