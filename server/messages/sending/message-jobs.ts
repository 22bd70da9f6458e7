/** The jobs of messages: writing them in chunks, escalation, and the end of quiet hours. */
import { type JobSteps, createStepRunner } from '../../jobs/job-steps';
import type { JobRunner } from '../../jobs/job-runner';
import type { Services } from '../../services';
import { runEscalationStep } from '../escalation-steps/step';
import { notifyManyAgain } from '../escalation-steps/notify-many-again';
import { ESCALATION_JOB } from '../../db/jobs/kinds';
import { quietEndSteps } from '../held-messages/quiet-end';
import { chunkSteps } from './chunks';

const escalations: JobSteps = {
  kinds: [ESCALATION_JOB],
  limit: 40,
  atOnce: 4,
  runTogether: notifyManyAgain,
  step: ({ subject }, transaction, services) => runEscalationStep(subject, transaction, services),
};

/**
 * @param services read when needed, since they hold what this returns
 * @param otherSteps of other folders, which run in the same loop
 */
export const createMessageJobs = (
  services: () => Services,
  otherSteps: readonly JobSteps[] = [],
): JobRunner =>
  createStepRunner(services, 'messages', [...otherSteps, chunkSteps, escalations, quietEndSteps]);
