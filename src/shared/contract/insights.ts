/** The calls of Insights: history by day, topic and team. */
import * as v from 'valibot';
import { count, withDescription, id, sample, text } from './common';
import type { CallTable } from './common';

export const INSIGHT_DAYS = [7, 30, 90] as const;

const countField = (example: number, description?: string) =>
  v.nullable(
    description === undefined
      ? sample(count, example)
      : withDescription(count, description, example),
  );
const seconds = (description: string, example: number) =>
  v.nullable(withDescription(v.pipe(v.number(), v.minValue(0)), description, example));
const medianSeconds = seconds(
  'The median time from the push service accepting a message to the phone displaying it.',
  4.1,
);
const p95Seconds = seconds('The 95th percentile of that time.', 33);

export const insightDay = v.object({
  day: withDescription(v.string(), 'The date, in the time zone of the query.', '2026-11-20'),
  messages: countField(3),
  recipients: countField(96),
  displayed: countField(91),
  read: countField(84),
  asked: countField(32, 'How many recipients were asked for an answer.'),
  acknowledged: countField(29),
  prompt: countField(26, 'How many of `acknowledged` answered within five minutes of sending.'),
  medianSeconds,
  p95Seconds,
  reachable: countField(
    44,
    'How many people were reachable, recorded once a day. With `topicId`, only subscribers of the topic; with `teamId`, only members.',
  ),
  people: countField(
    60,
    'How many people were counted, reachable or not. Recorded at the same time as `reachable`.',
  ),
});

export const insights = v.object({
  days: withDescription(
    v.array(insightDay),
    'Every day of the range, oldest first. Values without data are null, not 0.',
  ),
  medianSeconds,
  p95Seconds,
  makes: withDescription(
    v.array(
      v.object({
        make: text('Samsung'),
        devices: withDescription(
          count,
          'How many devices of this make are reachable, late or silent.',
          31,
        ),
        late: withDescription(
          count,
          'How many of them typically display a message more than a minute after the push service accepted it.',
          2,
        ),
        silent: withDescription(
          count,
          'How many of them did not display the last pushes that the push service accepted.',
          1,
        ),
      }),
    ),
    'The last recorded values in the range. With `topicId`, only phones of its subscribers; with `teamId`, only of members.',
  ),
  slowest: v.exactOptional(
    withDescription(
      v.array(
        v.object({
          id: sample(id, 1),
          title: text('Grid outages'),
          displayed: sample(count, 91),
          medianSeconds,
          p95Seconds,
        }),
      ),
      'The five slowest topics by `p95Seconds`, among the fifty whose messages were displayed most. Empty with `topicId` or `teamId`.',
    ),
  ),
});

export type Insights = v.InferOutput<typeof insights>;
export type SlowTopic = NonNullable<Insights['slowest']>[number];
export type InsightDay = v.InferOutput<typeof insightDay>;

const query = {
  days: withDescription(v.picklist(INSIGHT_DAYS), 'How many days, up to today. Default: 30.', 30),
  topicId: withDescription(id, 'Only this topic.', 1),
  teamId: withDescription(id, 'Only members of this team. Not together with `topicId`.'),
  timeZone: withDescription(
    v.pipe(v.string(), v.maxLength(64)),
    'The IANA name of the time zone that defines the days. Default: UTC.',
    'Europe/Oslo',
  ),
};
const errors = { 400: 'The range, the topic, the team or the time zone does not exist.' };

export const insightCalls = {
  'GET /api/admin/insights': {
    does: 'Get delivery statistics over time',
    more: 'Counts only recorded outcomes, by the day a message was sent. Data is stored per quarter of an hour in UTC and added up to days of the requested time zone. It is updated hourly for a day, then daily for a week, and kept for 400 days. Times run from the first accepted push to its display on the phone, not until the person looks. Times are accurate to 0.1 s or 12.5 %, whichever is larger. With `topicId`, only recipients who got the message through that topic count. With `teamId`, only people who were in the team at the time of counting.',
    query,
    response: insights,
    errors,
  },
  'GET /api/admin/insights.csv': {
    does: 'Download delivery statistics over time',
    more: 'One row for each day of the range. Cells without data are empty. Follows RFC 4180. Each download is recorded in the audit log.',
    query,
    responseType: 'text/csv',
    response: text(
      'day,messages,recipients,displayed,read,asked,acknowledged,prompt,medianSeconds,p95Seconds,reachable,people\r\n2026-11-20,3,96,91,84,32,29,26,4.1,33,44,60\r\n',
    ),
    errors,
  },
} satisfies CallTable;
