/** The course of a message that does not give up, in words. */
import type {
  Escalation,
  EscalationStep,
  SentMessage,
  StepAction,
  Stopped,
} from '../../../shared/contract';
import { timeOf } from '../../../ui/values/Day';
import { delayText } from '../../../ui/values/duration';
import { hasEnded } from './ends';
import { asksForAnswer, people, text } from '../words';

/** A sentence with a name in it, if there is one, which somebody typed. */
export type Sentence = readonly [before: string, name?: string, after?: string];

/** What happened, or is to come, and when, in milliseconds since 1970. */
export interface Entry {
  key: string;
  time: number;
  what: Sentence;
  detail: Sentence;
  tone?: 'ok' | 'warn' | undefined;
  /** What comes next. */
  current?: boolean;
}

const MINUTE_MS = 60_000;

/** What there is to tell. @param now in milliseconds since 1970, by the server's clock */
export function courseOf(message: SentMessage, escalation: Escalation, now: number): Entry[] {
  const { steps, stopped } = escalation;
  const keyed = steps.map((step, index) => ({ step, key: `step ${index}` }));
  const past = [
    ...keyed.filter(({ step }) => step.doneAt !== null).map((one) => done(one, message)),
    ...(stopped ? [stop(message, escalation, stopped)] : []),
  ].sort((one, other) => one.time - other.time);
  const open = stopped ? [] : keyed.filter(({ step }) => step.doneAt === null);
  return [
    sent(message, stopped !== null),
    ...past,
    ...open.map((one, index) => toCome(one, index === 0, message, escalation, now)),
  ];
}

function sent(message: SentMessage, isOver: boolean): Entry {
  const { total, unreachable, muted, held } = message.people;
  const could = isOver || hasEnded(message) ? 'could' : 'can';
  const waiting = held > 0 ? `, ${held.toLocaleString()} of them after their quiet hours` : '';
  return {
    key: 'sent',
    time: timeOf(message.sendAt),
    what: [`${message.state === 'sending' ? 'sending' : 'sent'} to ${total.toLocaleString()}`],
    detail: [`${(total - unreachable - muted).toLocaleString()} ${could} be reached${waiting}`],
    tone: 'ok',
  };
}

interface Keyed {
  step: EscalationStep;
  key: string;
}

/** Zero for what is no number, whatever a server says. */
const number = (value: unknown): number => (typeof value === 'number' ? value : 0);

const DONE: Record<StepAction, (count: string) => string> = {
  repeat: (count) => `rang again at ${count}`,
  mail: (count) => `mail to ${count}`,
  webhook: (count) => `called the webhook for ${count}`,
  notify: () => 'rang ',
};
/** Why it was nobody. */
const NOBODY: Record<StepAction, string> = {
  repeat: 'Pushes were still on their way, or nobody could hear it',
  mail: 'None of them has an e-mail address',
  webhook: 'Nobody was missing',
  notify: 'Nobody there could be reached',
};

function done({ step, key }: Keyed, message: SentMessage): Entry {
  const { action } = step;
  const count = number(step.people);
  const by = text(step.by);
  // An action that this version does not know is shown by the server's word.
  const what = Object.hasOwn(DONE, action)
    ? DONE[action](count > 0 ? count.toLocaleString() : 'nobody')
    : action;
  return {
    key,
    time: timeOf(step.doneAt),
    what: action === 'notify' ? topicOf(what, step) : [what],
    detail: by && count > 0 ? ['By ', by] : [whyDone(action, count, message)],
    tone: count > 0 ? 'ok' : 'warn',
  };
}

function whyDone(action: StepAction, count: number, message: SentMessage): string {
  if (count <= 0) return Object.hasOwn(NOBODY, action) ? NOBODY[action] : '-';
  if (action === 'notify') return `${people(count)} there`;
  return asksForAnswer(message) ? 'They had not answered' : 'They had not read it';
}

const topicOf = (verb: string, { topic }: EscalationStep): Sentence =>
  text(topic) ? [`${verb}the topic `, text(topic)] : [`${verb}a topic that was deleted`];

const COMING: Record<StepAction, string> = {
  repeat: 'ring again at',
  mail: 'mail to',
  webhook: 'call the webhook for',
  notify: 'ring ',
};

function toCome(
  { step, key }: Keyed,
  isNext: boolean,
  message: SentMessage,
  { policy }: Escalation,
  now: number,
): Entry {
  const time = timeOf(step.dueAt);
  const verb = Object.hasOwn(COMING, step.action) ? COMING[step.action] : step.action;
  const asks = asksForAnswer(message);
  const { total, acknowledged, read } = message.people;
  const missing = total - (asks ? acknowledged : read);
  const quorum = number(policy?.quorum);
  return {
    key,
    time,
    what:
      step.action === 'notify'
        ? topicOf(verb, step)
        : [`${verb} whoever has not ${asks ? 'answered' : 'read it'}`],
    detail: [
      isNext
        ? `${untilText(time - now)}, ${missing > 0 ? people(missing) : 'nobody'} now`
        : quorum > 0
          ? `Only if fewer than ${quorum.toLocaleString()} have ${asks ? 'answered' : 'read it'}`
          : 'Only if somebody is still missing',
    ],
    current: isNext,
  };
}

/** How far ahead something is, in milliseconds: `In 7 min`, `In 2 h 5 min`. */
function untilText(milliseconds: number): string {
  if (!(milliseconds > 0)) return 'Due'; // also of a moment that cannot be read
  const minutes = Math.ceil(milliseconds / MINUTE_MS);
  if (minutes < 2) return 'In less than a minute';
  const [hours, rest] = [Math.floor(minutes / 60), minutes % 60];
  return `In ${[hours && `${hours} h`, rest && `${rest} min`].filter(Boolean).join(' ')}`;
}

/** Nothing is missing any more. */
const GOOD_ENDS: readonly Stopped[] = ['acknowledged', 'quorum', 'resolved'];

function stop(message: SentMessage, escalation: Escalation, stopped: Stopped): Entry {
  const time = timeOf(escalation.stoppedAt ?? message.expiresAt);
  const after = `${delayText(time - timeOf(message.sendAt))} after it was sent`;
  const stoppedBy = text(escalation.stoppedBy);
  const who = stopped === 'cancelled' ? 'By ' : 'The last was ';
  return {
    key: 'stopped',
    time,
    what: [`stopped: ${whyStopped(stopped, message)}`],
    detail: stoppedBy ? [who, stoppedBy, `, ${after}`] : [after],
    tone: GOOD_ENDS.includes(stopped) ? 'ok' : 'warn',
  };
}

function whyStopped(stopped: Stopped, message: SentMessage): string {
  switch (stopped) {
    case 'acknowledged':
      return asksForAnswer(message) ? 'all confirmed' : 'all have read it';
    case 'quorum':
      return 'quorum reached';
    case 'expired':
      return 'it ended';
    default:
      return text(stopped) || 'unknown';
  }
}
