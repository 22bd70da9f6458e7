/**
 * What the server says of a message that does not give up, checked as `shapes.ts` says. An example
 * has no place for a value that may be missing, so the policy has a check of its own.
 */
import type { Escalation } from '../../shared/contract';
import { anyTime, like, type Check } from '../shapes';

const anEscalation = like<Escalation>({
  policy: null,
  stopped: null,
  stoppedAt: null,
  stoppedBy: null,
  steps: [{ action: 'repeat', dueAt: anyTime, doneAt: null, people: null, topic: null, by: null }],
});
const aPolicy = like({ name: '', quorum: null });

export const escalation: Check<Escalation> = (answer) =>
  anEscalation(answer) &&
  ((answer as Escalation).policy === null || aPolicy((answer as Escalation).policy));
