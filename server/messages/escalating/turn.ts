/** Steps of messages as a turn of the loop. */
import { ESCALATION_JOB } from '../../db/jobs/kinds';
import { createTurn } from '../../turns';
import { takeStep } from './step';
import { ringTogether } from './together';

export const escalations = createTurn({
  kinds: [ESCALATION_JOB],
  limit: 40,
  atOnce: 4,
  together: ringTogether,
  failure: 'a step of an escalation failed',
  step: ({ subject }, transaction, services) => takeStep(subject, transaction, services),
});
