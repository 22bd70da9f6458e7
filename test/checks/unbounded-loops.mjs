/**
 * Each server loop that awaits must yield (`yieldToEventLoop`) or be listed with its bound, and so must
 * each statement that reads rows without a limit. Otherwise one request could block others.
 */
import fs from 'node:fs';
import { walkNodes, parseSource } from './syntax.mjs';

/** The bounds of loops that do not yield, in order per file. */
const BOUNDED_LOOPS = {
  'server/account-export/export.ts': ['100 rows a piece; http/downloads.ts yields between pieces'],
  'server/accounts/mail/mail-sender.ts': ['the ranks of mail: a fixed list'],
  'server/accounts/one-time-tokens.ts': ['people of one page: 100'],
  'server/audit-log/entries.ts': ['1,000 rows a piece; http/downloads.ts yields between pieces'],
  'server/audit/repeats.ts': ['100 a step; runInBatches yields'],
  'server/check-ins/late-devices.ts': ['5 alarms'],
  'server/db/push-services.ts': ['goes on only where another transaction was quicker'],
  'server/db/transaction.ts': ['3 tries'],
  'server/db/webhook-calls.ts': ['events of one transaction', '20 webhooks'],
  'server/devices/registration.ts': ['5 tries', 'goes on only where another was quicker'],
  'server/escalation/plan-steps.ts': ['steps of a policy: 8'],
  'server/escalation/stop-escalation.ts': ['messages of one batch of receipts'],
  'server/escalation/timeline.ts': ['500 steps of one message'],
  'server/incoming-alerts/accept-alerts.ts': ['5 tries', 'beginnings of one alert'],
  'server/http/rate-limits.ts': ['limits of one attempt: a fixed list', 'limits of one attempt'],
  'server/http/static/files.ts': ['encodings: a fixed list'],
  'server/import/import.ts': ['3 tries'],
  'server/inbox/answer-events.ts': ['messages of one batch of receipts'],
  'server/jobs/job-steps.ts': ['kinds of jobs: a fixed list'],
  'server/lib/loop.ts': ['sleeps'],
  'server/messages/escalation-steps/actions.ts': ['calls of one piece of 1,000 people'],
  'server/messages/escalation-steps/notify-many-again.ts': ['1,000 people in all'],
  'server/messages/escalation-steps/step-events.ts': ['steps of one batch of jobs'],
  'server/messages/progress/counts.ts': ['messages of one page: 100; ranges of people yield'],
  'server/messages/progress/progress.ts': [
    'messages of one page: 100',
    'messages of one page: 100',
  ],
  'server/messages/progress/recipients-csv.ts': [
    '1,000 rows a piece; http/downloads.ts yields between pieces',
  ],
  'server/messages/notify-again-request.ts': [
    '5,000 people; a job notifies more',
    'people of one request: 5,000',
  ],
  'server/messages/corrections/alarms-of-check-in.ts': ['messages of one batch of receipts'],
  'server/messages/corrections/all-clear.ts': ['open alarms of one check-in'],
  'server/messages/corrections/revise.ts': ['5,000 people; a job revises more'],
  'server/messages/sending/send.ts': ['5 tries', '5,000 people; a job writes more'],
  'server/messages/delete-old-messages.ts': ['tables: a fixed list'],
  'server/operations/delete-old-data.ts': ['pauses an hour'],
  'server/operations/forget.ts': [
    'kinds of mail: a fixed list',
    '100 calls a step; runInBatches yields',
  ],
  'server/operations/delete-old-mail-files.ts': ['100 files a step; runInBatches yields'],
  'server/http/access/key-budget.ts': ['parts of a budget: 3', 'parts of a budget: 3'],
  'server/webhooks/webhook-jobs.ts': ['20 webhooks'],
  'server/senders/sent-messages.ts': ['a page of 100', 'a page of 100'],
  'server/senders/topics.ts': ['topics of a sender'],
  'server/accounts/sign-in/phone-links.ts': ['two addresses'],
  'server/check-ins/alarm-watch.ts': ['5 alarms'],
  'server/check-ins/check-in-job.ts': ['200 jobs of one batch'],
  'server/check-ins/messages/send-messages.ts': [
    'open messages of one check-in',
    'open notices of one check-in',
    'open alarms of one check-in',
  ],
  'server/inbox/receipt-queue.ts': ['reports of one transaction'],
  'server/messages/cancel.ts': [
    'steps of a policy: 8',
    'steps of a policy: 8',
    'steps of a policy: 8',
  ],
  'server/messages/corrections/correct.ts': ['steps of a policy: 8'],
  'server/heartbeats/messages.ts': ['steps of a policy: 8'],
  'server/check-ins/check-in-press.ts': ['receipts of one batch'],
};

/** No request runs these files: commands, the sample company, migrations, workers. */
const NO_REQUEST =
  /^server\/(cli|demo|delivery|db\/(migrations|migrate|copy|backup|engines|outbox))\b/;
/** These calls let timers, sockets and requests go first. */
const YIELDING_CALLS = ['yieldToEventLoop', 'wait', 'runInBatches'];

const SUBSCRIBERS = 'all subscribers: the specification has no pages of them';
const TOPICS = 'all topics: the specification has no pages of them';
/** The bounds of statements without a limit, in order per file. */
const BOUNDED_READS = {
  'server/http/access/sender-rights.ts': ['topics of a sender'],
  'server/messages/sending/withheld.ts': ['topics of a message'],
  'server/senders/senders.ts': ['senders of a topic', 'teams of a topic'],
  'server/senders/sent-messages.ts': ['one message', '1,000 topics of one message'],
  'server/account-export/export.ts': ['50 browsers of a person'],
  'server/account-export/lists.ts': ['switches of one device, one a topic'],
  'server/accounts/users.ts': ['20 devices of a person'],
  'server/audit-log/entries.ts': ['a slice of 1,000 entries', 'a slice of 1,000 entries'],
  'server/escalation/plan-steps.ts': ['steps of a policy: 8'],
  'server/check-ins/alarm-watch.ts': ['50 jobs of one batch'],
  'server/check-ins/check-in-job.ts': ['200 jobs of one batch'],
  'server/messages/cancel.ts': ['steps of a policy: 8'],
  'server/messages/corrections/alarms-of-check-in.ts': ['the open alarms of one check-in'],
  'server/check-ins/watchers.ts': ['all administrators: few'],
  'server/heartbeats/heartbeats.ts': ['100 heartbeats of a topic'],
  'server/heartbeats/messages.ts': ['steps of a policy: 8'],
  'server/db/jobs/jobs.ts': ['jobs of one batch'],
  'server/db/webhook-calls.ts': ['20 webhooks'],
  'server/escalation/policies.ts': [
    '100 policies',
    '100 policies',
    'topics of 8 steps',
    'webhooks of 8 steps',
    TOPICS,
    '100 policies',
  ],
  'server/escalation/step-obstacles.ts': ['20 webhooks'],
  'server/import/teams.ts': ['1,000 teams of a file'],
  'server/import/topics.ts': [TOPICS],
  'server/inbox/inbox.ts': ['a page of 100'],
  'server/insights/insights.ts': [
    'quarters of 92 days: 8,832',
    'one note a day: 92',
    'makes of the last note',
  ],
  'server/insights/collect-insights.ts': [
    'quarters of 7 days: 672',
    'messages of a quarter: ids and counts',
  ],
  'server/memberships/subscribed-by.ts': ['teams of a person', SUBSCRIBERS],
  'server/messages/escalation-steps/notify-many-again.ts': ['1,000 people in all'],
  'server/messages/corrections/revise.ts': ['5,000 people; a job revises more'],
  'server/messages/progress/counts.ts': ['a page of 100 messages'],
  'server/messages/progress/progress.ts': ['one message'],
  'server/reach/devices.ts': ['20 devices of a person'],
  'server/subscriptions/bulk-subscriptions.ts': ['people of one request'],
  'server/subscriptions/preferences.ts': [TOPICS, TOPICS],
  'server/subscriptions/subscriptions.ts': [TOPICS],
  'server/teams/members.ts': [TOPICS],
  'server/teams/teams.ts': ['messages being written'],
  'server/teams/topics.ts': ['teams of a topic'],
  'server/templates/templates.ts': ['200 templates', '200 templates'],
  'server/topics/keys.ts': ['50 keys of a topic'],
  'server/webhooks/calls.ts': ['20 webhooks'],
  'server/webhooks/webhooks.ts': ['20 webhooks', '20 webhooks', '20 webhooks'],
};
const WRITE_PATTERN =
  /\b(insertInto|updateTable|deleteFrom)\b|^sql[^`]*`\s*(insert|update|delete|create|analyze|with \w+ as)/;
const IS_READING = /\bselect|^(\w+|\w+\(.*\))\.execute/;
const IS_BOUNDED =
  /\blimit\b|\b(count|min|sum)\(|countAll|\bfn\.|'in'|\bin [$(]|\b(idList|idTable|jsonTable\w*|lockForUpdate|lockSkippingLocked|lockForShare)\(/;

const readsOf = (source) =>
  [...walkNodes(parseSource(source))]
    .filter(({ type, callee }) => type === 'CallExpression' && callee.property?.name === 'execute')
    .filter(({ start, end }) => {
      const statement = source.slice(start, end);
      return (
        !WRITE_PATTERN.test(statement) && IS_READING.test(statement) && !IS_BOUNDED.test(statement)
      );
    })
    .map(({ loc }) => loc.start.line);

const isFunction = ({ type = '' }) => /Function|ObjectMethod|ClassMethod/.test(type);

/** The lines of loops that await without yielding. `for await` counts in its generator. */
function loopsOf(source) {
  return [...walkNodes(parseSource(source))]
    .filter(({ type }) => /^(For|ForOf|ForIn|While|DoWhile)Statement$/.test(type))
    .filter((loop) => {
      const again = [loop.test, loop.update, loop.body];
      const own = again.flatMap((part) => [...walkNodes(part, isFunction)]);
      const isWaiting = !loop.await && own.some(({ type }) => type === 'AwaitExpression');
      const isYielding = own.some(
        ({ type, callee }) => type === 'CallExpression' && YIELDING_CALLS.includes(callee.name),
      );
      return isWaiting && !isYielding;
    })
    .map(({ loc }) => loc.start.line);
}

/**
 * @param {readonly string[]} files
 * @param {Record<string, readonly string[]>} bounded
 * @param {Record<string, readonly string[]>} reads
 * @returns {string[]} each file whose loops or reads differ from the list
 */
export function loopFaults(
  files,
  bounded = BOUNDED_LOOPS,
  reads = BOUNDED_READS,
  read = (file) => fs.readFileSync(file, 'utf8'),
) {
  return files
    .filter((file) => file.startsWith('server/') && !NO_REQUEST.test(file))
    .flatMap((file) => {
      const source = read(file);
      const compare = (lines, what, named = /** @type {readonly string[]} */ ([])) =>
        lines.length === named.length
          ? []
          : `${file}: ${lines.length} ${what} (lines ${lines.join(', ')}), ${named.length} have a bound in test/checks/unbounded-loops.mjs`;
      return [
        compare(loopsOf(source), 'loops wait without yieldToEventLoop()', bounded[file]),
        compare(readsOf(source), 'statements read rows without a limit', reads[file]),
      ].flat();
    });
}
