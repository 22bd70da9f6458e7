/** The calls of Insights: history by day, topic and team. */
import * as v from 'valibot';
import { countSchema, withDescription, idSchema, withExamples, sampleText } from './common';
import type { CallTable } from './common';

export const INSIGHT_DAYS = [7, 30, 90] as const;

const countField = (example: number, description?: string) =>
  v.nullable(
    description === undefined
      ? withExamples(countSchema, example)
      : withDescription(countSchema, description, example),
  );
const seconds = (description: string, example: number) =>
  v.nullable(withDescription(v.pipe(v.number(), v.minValue(0)), description, example));
const medianSecondsSchema = seconds(
  'The median number of seconds between the push service accepting a message and the phone displaying it.',
  4.1,
);
const p95SecondsSchema = seconds(
  'Phones displayed 95 % of the messages within this many seconds after the push service accepted them.',
  33,
);

export const insightDaySchema = v.object({
  day: withDescription(v.string(), 'The date, in the time zone of the query.', '2026-11-20'),
  messages: countField(3),
  recipients: countField(96),
  displayed: countField(91),
  read: countField(84),
  asked: countField(32, 'How many recipients were asked for an answer.'),
  acknowledged: countField(29),
  prompt: countField(
    26,
    'How many of the people in `acknowledged` answered within five minutes of the message being sent.',
  ),
  medianSeconds: medianSecondsSchema,
  p95Seconds: p95SecondsSchema,
  reachable: countField(
    44,
    'How many people were reachable, as recorded once a day. With `topicId`, this counts only subscribers of the topic; with `teamId`, only members of the team.',
  ),
  people: countField(60, 'How many people there were in total when `reachable` was recorded.'),
});

export const insightsSchema = v.object({
  days: withDescription(
    v.array(insightDaySchema),
    'All days of the range, oldest first. If there is no data for a value, it is null, not 0.',
  ),
  medianSeconds: medianSecondsSchema,
  p95Seconds: p95SecondsSchema,
  makes: withDescription(
    v.array(
      v.object({
        make: sampleText('Samsung'),
        devices: withDescription(
          countSchema,
          'How many devices of this make are reachable, late or silent.',
          31,
        ),
        late: withDescription(
          countSchema,
          'How many of these devices usually display a message more than a minute after the push service accepted it.',
          2,
        ),
        silent: withDescription(
          countSchema,
          'How many of these devices displayed nothing for 14 days, although the push service accepted at least three pushes.',
          1,
        ),
      }),
    ),
    'The phones by make, as last recorded in the range. With `topicId`, only phones of the topic’s subscribers; with `teamId`, only phones of the team’s members.',
  ),
  slowest: v.exactOptional(
    withDescription(
      v.array(
        v.object({
          id: withExamples(idSchema, 1),
          title: sampleText('Grid outages'),
          displayed: withExamples(countSchema, 91),
          medianSeconds: medianSecondsSchema,
          p95Seconds: p95SecondsSchema,
        }),
      ),
      'Of the fifty topics whose messages were displayed most, the five with the highest `p95Seconds`. Empty with `topicId` or `teamId`.',
    ),
  ),
});

export type Insights = v.InferOutput<typeof insightsSchema>;
export type SlowTopic = NonNullable<Insights['slowest']>[number];
export type InsightDay = v.InferOutput<typeof insightDaySchema>;

const query = {
  days: withDescription(
    v.picklist(INSIGHT_DAYS),
    'How many days the statistics cover, ending today. Default: 30.',
    30,
  ),
  topicId: withDescription(idSchema, 'Only messages to this topic.', 1),
  teamId: withDescription(
    idSchema,
    'Only members of this team. Cannot be combined with `topicId`.',
  ),
  timeZone: withDescription(
    v.pipe(v.string(), v.maxLength(64)),
    'The IANA name of the time zone in which the days begin and end. Default: UTC.',
    'Europe/Oslo',
  ),
};
const errors = {
  400: '`days` or `timeZone` is invalid, the topic or team does not exist, or the request has both `topicId` and `teamId`.',
};

export const insightCalls = {
  'GET /api/admin/insights': {
    does: 'Get delivery statistics over time',
    more: 'Every message counts for the day on which it was sent. The server records the statistics of a message hourly on the first day, then daily for a week, and keeps them for 400 days. Times are measured from the first push that the push service accepted until the phone displayed it, not until the person looked at it. For a corrected text, they are measured from the first push that was accepted after the correction. Times are accurate to 0.1 s or 12.5 %, whichever is larger. With `topicId`, the statistics include only recipients who got the message through that topic. With `teamId`, they include only people who were in the team when the statistics were recorded.',
    query,
    response: insightsSchema,
    errors,
  },
  'GET /api/admin/insights.csv': {
    does: 'Download delivery statistics over time',
    more: 'A CSV file as defined in RFC 4180, with one row for each day of the range. Cells without data are empty. Each download is recorded in the audit log.',
    query,
    responseType: 'text/csv',
    response: sampleText(
      'day,messages,recipients,displayed,read,asked,acknowledged,prompt,medianSeconds,p95Seconds,reachable,people\r\n2026-11-20,3,96,91,84,32,29,26,4.1,33,44,60\r\n',
    ),
    errors,
  },
} satisfies CallTable;
