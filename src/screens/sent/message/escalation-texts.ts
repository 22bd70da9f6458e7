/** The texts of an escalation’s timeline. */
import { plural } from '../../../platform/plural';
import type {
  Escalation,
  EscalationStep,
  SentMessage,
  EscalationStopReason,
} from '../../../shared/contract';
import {
  countGroup,
  NOT_ANSWERED_FILTER,
  NOT_REACHED_FILTER,
  NOT_READ_FILTER,
} from '../../../shared/recipient-states';
import { parseTime } from '../../../ui/values/Day';
import { delayText } from '../../../ui/values/duration';
import { countCallsForHelp, sumCallsForHelp } from '../calls-for-help';
import { countRecipientStates } from '../state-texts';
import { describeOutcome } from './step-outcome-texts';
import type { OutcomeTitle, OutcomeTone } from './step-outcome-texts';
import { asksForAnswer, peopleCount, textOrNothing, hasEnded } from '../message-texts';

/** `time` is in milliseconds since 1970. */
export interface TimelineEntry {
  key: string;
  time: number;
  what: OutcomeTitle;
  details: readonly OutcomeTitle[];
  tone?: OutcomeTone | undefined;
  /** The message sent to another topic. */
  messageId?: string;
  /** The next step. */
  current?: boolean;
}

const MINUTE_MS = 60_000;

/** @param now in milliseconds since 1970, by the server's clock */
export function buildTimeline(
  message: SentMessage,
  escalation: Escalation,
  now: number,
): TimelineEntry[] {
  const { steps, stopped } = escalation;
  const keyedSteps = steps.map((step, index) => ({ step, key: `step ${index}` }));
  const pastEntries = [
    ...keyedSteps.filter(({ step }) => step.doneAt !== null).map((one) => doneEntry(one)),
    ...correctionEntries(message),
    ...(stopped ? [stopEntry(message, escalation, stopped)] : []),
    ...(stopped === 'all-clear' ? [] : allClearEntries(message)),
  ].sort((entry, other) => entry.time - other.time);
  const upcomingSteps = stopped ? [] : keyedSteps.filter(({ step }) => step.doneAt === null);
  return [
    sentEntry(message),
    ...pastEntries,
    ...upcomingSteps.map((one, index) => upcomingEntry(one, index === 0, message, escalation, now)),
  ];
}

/**
 * Shows the counts recorded when the message was sent, or the current ones if an older version
 * recorded none.
 */
function sentEntry(message: SentMessage): TimelineEntry {
  const { accepted, failed, pending } = message;
  const { total, unreachable, muted, held } = message.people;
  const recorded = message.reachable;
  const reachable = (recorded ?? total - unreachable - muted).toLocaleString();
  const waiting = held > 0 && !hasEnded(message);
  return {
    key: 'sent',
    time: parseTime(message.sendAt),
    what: [`${message.state === 'sending' ? 'Sending' : 'Sent'} to ${peopleCount(total)}`],
    details: [
      [recorded === undefined ? `${reachable} reachable now` : `${reachable} reachable when sent`],
      ...(waiting ? [[`${held.toLocaleString()} still held for quiet hours`] as const] : []),
    ],
    // Green once every push was accepted.
    tone: accepted > 0 && failed + pending === 0 ? 'ok' : undefined,
  };
}

/** Whether answers were asked again is known of the newest corrections only. */
function correctionEntries(message: SentMessage): TimelineEntry[] {
  const { askedRevision = 1, former = [], revision = 1, revisedAt } = message;
  const knowsAnswers = (nth: number) => asksForAnswer(message) && nth >= askedRevision;
  const texts = [...former, { revision, at: revisedAt }].slice(1);
  return texts.map(({ revision: nth, at }) => ({
    key: `revision-${nth}`,
    time: parseTime(at),
    what: ['Corrected'],
    details: knowsAnswers(nth)
      ? [[nth === askedRevision ? 'Answers requested again' : 'Answers kept']]
      : [],
    tone: 'warn',
  }));
}

/** Called only if the all-clear did not stop the escalation: then the stop entry says so. */
const allClearEntries = ({ allClearAt }: SentMessage): TimelineEntry[] =>
  allClearAt
    ? [
        {
          ...{ key: 'all-clear', time: parseTime(allClearAt) },
          ...{ what: ['All clear'], details: [], tone: 'ok' },
        },
      ]
    : [];

interface KeyedStep {
  step: EscalationStep;
  key: string;
}

const toNumber = (value: unknown): number => (typeof value === 'number' ? value : 0);

function doneEntry({ step, key }: KeyedStep): TimelineEntry {
  const { what, details, tone } = describeOutcome(step);
  const by = textOrNothing(step.by);
  return {
    key,
    time: parseTime(step.doneAt),
    what,
    details: [
      ...details.map((detail): OutcomeTitle => [detail]),
      ...(by ? [['By ', by] as const] : []),
    ],
    tone,
    ...(textOrNothing(step.messageId) && { messageId: textOrNothing(step.messageId) }),
  };
}

const getTopicDetails = ({ topic }: EscalationStep): OutcomeTitle =>
  textOrNothing(topic) ? ['Notify the topic ', textOrNothing(topic)] : ['Notify a deleted topic'];

function upcomingText({ action }: EscalationStep, asks: boolean): string {
  switch (action) {
    case 'repeat':
      return asks
        ? 'Notify everyone who hasn’t answered'
        : 'Notify everyone who hasn’t read the message';
    case 'mail':
      return asks
        ? 'Email everyone who hasn’t answered'
        : 'Email everyone who hasn’t read the message';
    case 'webhook':
      return asks
        ? 'Call the webhook for everyone who hasn’t answered'
        : 'Call the webhook for everyone who hasn’t read the message';
    default:
      return action;
  }
}

function upcomingEntry(
  { step, key }: KeyedStep,
  isNext: boolean,
  message: SentMessage,
  { policy }: Escalation,
  now: number,
): TimelineEntry {
  const time = parseTime(step.dueAt);
  const asks = asksForAnswer(message);
  // The same counts as the tiles.
  const counts = countRecipientStates(message);
  const count = countGroup(counts, asks ? NOT_ANSWERED_FILTER : NOT_READ_FILTER).toLocaleString();
  const unansweredText = asks ? `No answer yet: ${count}` : `Not read yet: ${count}`;
  const missedCount = countGroup(counts, NOT_REACHED_FILTER);
  const missedText = missedCount > 0 ? ` · Not reached: ${missedCount.toLocaleString()}` : '';
  return {
    key,
    time,
    what: step.action === 'notify' ? getTopicDetails(step) : [upcomingText(step, asks)],
    details: [
      [
        isNext
          ? `${untilText(time - now)} · ${unansweredText}${missedText}`
          : conditionText(toNumber(policy?.quorum), asks),
      ],
      ...(isNext ? describeUncounted(message) : []),
    ],
    current: isNext,
  };
}

/** @param quorum 0: everyone must answer */
function conditionText(quorum: number, asks: boolean): string {
  const count = quorum.toLocaleString();
  if (quorum > 0)
    return asks
      ? plural(quorum, {
          one: 'Only if no one has answered by then',
          other: `Only if fewer than ${count} people have answered by then`,
        })
      : plural(quorum, {
          one: 'Only if no one has read the message by then',
          other: `Only if fewer than ${count} people have read the message by then`,
        });
  return asks
    ? 'Only if someone hasn’t answered by then'
    : 'Only if someone hasn’t read the message by then';
}

/** Formats the time until a step: `In 7 min`, `In 2 h 5 min`. */
function untilText(milliseconds: number): string {
  if (!(milliseconds > 0)) return 'Due now'; // also for an invalid time
  const minutes = Math.ceil(milliseconds / MINUTE_MS);
  if (minutes < 2) return 'In less than a minute';
  const [hours, rest] = [Math.floor(minutes / 60), minutes % 60];
  return `In ${[hours && `${hours} h`, rest && `${rest} min`].filter(Boolean).join(' ')}`;
}

const GOOD_ENDS: readonly EscalationStopReason[] = [
  'acknowledged',
  'quorum',
  'resolved',
  'all-clear',
];

function stopEntry(
  message: SentMessage,
  escalation: Escalation,
  stopReason: EscalationStopReason,
): TimelineEntry {
  const time = parseTime(escalation.stoppedAt ?? message.expiresAt);
  const after = `${delayText(time - parseTime(message.sendAt))} after sending`;
  const stoppedBy = textOrNothing(escalation.stoppedBy);
  const isByHand = stopReason === 'cancelled' || stopReason === 'all-clear';
  const authorLabel = isByHand
    ? 'By '
    : asksForAnswer(message)
      ? 'Last answer by '
      : 'Last reader: ';
  return {
    key: 'stopped',
    time,
    what: [`Stopped: ${whyStopped(stopReason, message)}`],
    details: [
      stoppedBy ? [authorLabel, stoppedBy, `, ${after}`] : [after],
      ...(isStoppedWithoutHelp(message, escalation, stopReason) ? describeUncounted(message) : []),
    ],
    tone: GOOD_ENDS.includes(stopReason) && countCallsForHelp(message) === 0 ? 'ok' : 'warn',
  };
}

/** An earlier version counted calls for help as answers. */
function isStoppedWithoutHelp(
  message: SentMessage,
  { policy }: Escalation,
  stopReason: EscalationStopReason,
): boolean {
  if (stopReason === 'expired') return policy !== null;
  const { acknowledged } = message.people;
  return (
    stopReason === 'quorum' && acknowledged - sumCallsForHelp(message) >= toNumber(policy?.quorum)
  );
}

/** Calls for help stop no escalation. */
function describeUncounted(message: SentMessage): OutcomeTitle[] {
  const count = sumCallsForHelp(message);
  if (count === 0) return [];
  return [
    [
      plural(count, {
        one: '1 call for help doesn’t count as an answer',
        other: `${count.toLocaleString()} calls for help don’t count as answers`,
      }),
    ],
  ];
}

function whyStopped(stopReason: EscalationStopReason, message: SentMessage): string {
  switch (stopReason) {
    case 'acknowledged':
      return asksForAnswer(message) ? 'everyone answered' : 'everyone read the message';
    case 'quorum':
      return asksForAnswer(message) ? 'enough people answered' : 'enough people read the message';
    case 'expired':
      return 'the message expired';
    case 'all-clear':
      return 'the all-clear was sent';
    case 'cancelled':
      return 'the message was canceled';
    case 'resolved':
      return 'the alert was resolved';
    default:
      return textOrNothing(stopReason) || 'unknown';
  }
}
