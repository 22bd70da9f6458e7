/** The outcome of an escalation's step, in words: only what the server recorded. */
import type { EscalationStep, StepAction, StepOutcome } from '../../../shared/contract';
import { problemText } from '../../step-problems';
import { peopleCount, textOrNothing } from '../message-texts';

/** `name` was typed by someone and keeps its text direction. */
export type OutcomeTitle = readonly [before: string, name?: string, after?: string];

export type OutcomeTone = 'ok' | 'warn' | 'bad';

type State = 'done' | 'waiting' | 'failed' | 'notPossible' | 'notNeeded' | 'unknown';
/** A function gets the number of people. `…` stands for the other topic. */
type Heading = string | ((count: number) => string);
type Words = Record<'done' | 'waiting' | 'failed' | 'notPossible', Heading>;

const HEADINGS: Record<StepAction, Words> = {
  repeat: {
    done: (count) => `Notified ${peopleCount(count)} again`,
    waiting: (count) => `Notifying ${peopleCount(count)} again`,
    failed: 'Notification failed',
    notPossible: 'Not notified again',
  },
  mail: {
    done: (count) => `Emailed ${peopleCount(count)}`,
    waiting: (count) => `Emailing ${peopleCount(count)}`,
    failed: 'Email failed',
    notPossible: 'Email not sent',
  },
  webhook: {
    done: (count) => `Called the webhook for ${peopleCount(count)}`,
    waiting: (count) => `Calling the webhook for ${peopleCount(count)}`,
    failed: 'Webhook call failed',
    notPossible: 'Webhook not called',
  },
  notify: {
    done: (count) => `Notified ${peopleCount(count)} in …`,
    waiting: (count) => `Notifying ${peopleCount(count)} in …`,
    failed: 'Failed to notify …',
    notPossible: 'Didn’t notify …',
  },
};
const OTHER_HEADING = 'Nothing to do';
const REASON_TEXTS: Record<string, string> = {
  'no-address': 'No verified email address.',
  'mail-refused': 'The mail server rejected the address.',
  'mail-given-up': 'The mail server didn’t accept the email before the message expired.',
  'webhook-silent': 'The webhook didn’t respond.',
  'webhook-full': 'The webhook’s queue is full (2,000 calls).',
  'no-device': 'No device.',
  muted: 'The topic is muted.',
  unsubscribed: 'No longer subscribed.',
  'quiet-hours': 'In quiet hours.',
  'push-pending': 'An earlier notification is still on its way.',
  'push-expired': 'The message expired before the push service accepted it.',
  'push-refused': 'The push service rejected the notification.',
  'device-gone': 'The device is no longer registered.',
};

const isStepAction = (action: string): action is StepAction => Object.hasOwn(HEADINGS, action);

interface OutcomeText {
  what: OutcomeTitle;
  details: string[];
  tone: OutcomeTone | undefined;
}

/** Describes a step that is done. The text is green only if all calls and pushes were accepted. */
export function describeOutcome(step: EscalationStep): OutcomeText {
  const { action, outcome, messageId } = step;
  const order: State[] = ['done', 'waiting', 'failed', 'notPossible'];
  const first = order.find((state) => outcome && outcome[state] > 0);
  const wasNooneLeft = !messageId && !first && (outcome?.people ?? step.people) === 0;
  if (wasNooneLeft)
    return { what: [OTHER_HEADING], details: ['No one was left to notify.'], tone: undefined };
  if (!outcome || (!first && outcome.unknown > 0))
    return {
      what: outcomeSentence(
        isStepAction(action) ? HEADINGS_WITHOUT_OUTCOME[action] : action,
        outcome?.people ?? step.people,
        step,
      ),
      details: [
        messageId ? 'Open the message to see its recipients.' : 'The outcome wasn’t recorded.',
      ],
      tone: undefined,
    };
  const count = outcome[first ?? 'people'];
  const words = first && isStepAction(action) ? HEADINGS[action][first as keyof Words] : undefined;
  return {
    what: outcomeSentence(words ?? (first ? action : OTHER_HEADING), count, step),
    details: listDetails(outcome, first),
    tone: getTone(outcome),
  };
}

const HEADINGS_WITHOUT_OUTCOME: Record<StepAction, Heading> = {
  repeat: (count) => `Tried to notify ${peopleCount(count)} again`,
  mail: (count) => `Tried to email ${peopleCount(count)}`,
  webhook: (count) => `Tried to call the webhook for ${peopleCount(count)}`,
  notify: (count) => `Tried to notify ${peopleCount(count)} in …`,
};

function outcomeSentence(
  words: Heading,
  count: number | null,
  { topic }: EscalationStep,
): OutcomeTitle {
  const text = typeof words === 'string' ? words : words(count ?? 0);
  const [before = '', after] = text.split('…');
  if (after === undefined) return [before];
  return textOrNothing(topic)
    ? [`${before}the topic `, textOrNothing(topic), after]
    : [`${before}a deleted topic`];
}

function getTone({
  done,
  failed,
  notPossible,
  waiting,
  unknown,
}: StepOutcome): OutcomeTone | undefined {
  // Red only if the step reached no one.
  if (failed + notPossible > 0) return done + waiting + unknown > 0 ? 'warn' : 'bad';
  return done > 0 && waiting === 0 && unknown === 0 ? 'ok' : undefined;
}

const STATE_DETAILS: readonly [State, (count: string) => string][] = [
  ['waiting', (count) => `Waiting for ${count}`],
  ['failed', (count) => `Failed for ${count}`],
  ['notPossible', (count) => `Not possible for ${count}`],
  ['notNeeded', (count) => `No longer needed for ${count}`],
  ['unknown', (count) => `Outcome unknown for ${count}`],
];

/** Lists one line per state. The heading's state gets a line only if it has reasons. */
const listDetails = (outcome: StepOutcome, heading: State | undefined): string[] =>
  STATE_DETAILS.flatMap(([state, words]) => {
    const count = outcome[state];
    if (!(count > 0)) return [];
    const reasons = outcome.reasons
      .filter((candidate) => candidate.outcome === state)
      .map(reasonText);
    if (heading === state && state === 'waiting')
      return [reasons.length === 0 ? 'Not finished yet.' : `${reasons.join(' ')} Retrying.`];
    return [`${words(peopleCount(count))}. ${reasons.join(' ')}`.trim()];
  });

function reasonText({ reason, status }: StepOutcome['reasons'][number]): string {
  if (reason === 'webhook-answer') return `The webhook responded with ${status ?? 'an error'}.`;
  return problemText(reason) ?? new Map(Object.entries(REASON_TEXTS)).get(reason) ?? reason;
}
