/** How it has been over time. */
import * as v from 'valibot';
import { count, described, id, sample, text } from './common';
import type { CallTable } from './common';

export const INSIGHT_DAYS = [7, 30, 90] as const;

const counted = (example: number, description?: string) =>
  v.nullable(
    description === undefined ? sample(count, example) : described(count, description, example),
  );
const seconds = (description: string, example: number) =>
  v.nullable(described(v.pipe(v.number(), v.minValue(0)), description, example));
const medianSeconds = seconds('Half of the displays took at most this long.', 4.1);
const p95Seconds = seconds('95 % of the displays took at most this long.', 33);

export const insightDay = v.object({
  day: described(v.string(), 'In the time zone of the query.', '2026-11-20'),
  messages: counted(3),
  recipients: counted(96),
  displayed: counted(91),
  read: counted(84),
  asked: counted(32, 'Recipients of messages with answers.'),
  acknowledged: counted(29),
  prompt: counted(26, 'Those of `acknowledged` within five minutes of sending.'),
  medianSeconds,
  p95Seconds,
  reachable: counted(44, 'Noted once a day. With `topicId`, subscribers of the topic.'),
  people: counted(60, 'Of whom `reachable` counts. Noted at the same time.'),
});

export const insights = v.object({
  days: described(
    v.array(insightDay),
    'Every day of the range, oldest first. Days without data are null, not 0.',
  ),
  medianSeconds,
  p95Seconds,
  makes: described(
    v.array(
      v.object({
        make: text('Samsung'),
        devices: described(count, 'Phones that are reachable, late or silent.', 31),
        late: described(count, 'Typically more than a minute from accepted to displayed.', 2),
        silent: described(count, 'The last pushes were accepted, but not displayed.', 1),
      }),
    ),
    'As last noted in the range, for all topics.',
  ),
});

export type Insights = v.InferOutput<typeof insights>;
export type InsightDay = v.InferOutput<typeof insightDay>;

const query = {
  days: described(v.picklist(INSIGHT_DAYS), 'How many days, up to today. Default: 30.', 30),
  topicId: described(id, 'Only this topic.', 1),
  timeZone: described(
    v.pipe(v.string(), v.maxLength(64)),
    'The IANA name of the zone whose days count. Default: UTC.',
    'Europe/Oslo',
  ),
};
const refusals = { 400: 'The range, the topic or the time zone does not exist.' };

export const insightCalls = {
  'GET /api/admin/insights': {
    does: 'Get how messages arrived over time',
    more: 'Counts recorded outcomes only, by the day a message was sent. Rows are kept per quarter of an hour in UTC, which add up to the days of every time zone. They are updated hourly for a day, then daily for a week as receipts arrive, and kept for 400 days. Times are from the first accepted push to the display on the phone, not until the person looked. They are exact to 0.1 s or an eighth. With `topicId`, a recipient counts who got the message by that topic.',
    query,
    answer: insights,
    refusals,
  },
  'GET /api/admin/insights.csv': {
    does: 'Download how messages arrived over time',
    more: 'The days of the same range. Cells without data are empty. Follows RFC 4180. The download itself is logged.',
    query,
    answerType: 'text/csv',
    answer: text(
      'day,messages,recipients,displayed,read,asked,acknowledged,prompt,medianSeconds,p95Seconds,reachable,people\r\n2026-11-20,3,96,91,84,32,29,26,4.1,33,44,60\r\n',
    ),
    refusals,
  },
} satisfies CallTable;
