/**
 * What the server says of a message that does not give up, checked as `shapes.ts` says. An example
 * has no place for a value that may be missing, so the policy has a check of its own.
 */
import type { Escalation, EscalationStep, StepOutcome } from '../../shared/contract';
import { anyTime, like, type Check } from '../shapes';

const anEscalation = like<Escalation>({
  policy: null,
  stopped: null,
  stoppedAt: null,
  stoppedBy: null,
  steps: [{ action: 'repeat', dueAt: anyTime, doneAt: null, people: null, topic: null, by: null }],
});
/** An older server says nothing of outcomes. */
const anOutcome = like<StepOutcome>({
  people: 0,
  done: 0,
  failed: 0,
  notPossible: 0,
  notNeeded: 0,
  waiting: 0,
  unknown: 0,
  reasons: [{ outcome: 'failed', reason: 'muted', status: null, people: 0 }],
});
const hasOutcome = ({ outcome }: EscalationStep): boolean => outcome == null || anOutcome(outcome);
const aPolicy = like({ name: '', quorum: null });

export const escalation: Check<Escalation> = (answer) =>
  anEscalation(answer) &&
  (answer as Escalation).steps.every(hasOutcome) &&
  ((answer as Escalation).policy === null || aPolicy((answer as Escalation).policy));
