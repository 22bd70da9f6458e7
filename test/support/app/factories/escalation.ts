import type { Escalation, EscalationStep, StepOutcome } from '../../../../src/shared/contract';

const SENT_AT = '2026-11-20T14:02:00.000Z';
const MINUTE_MS = 60_000;

/** Minutes after 14:02, when `createSent` was sent. */
export const minutesAfterSending = (minutes: number): string =>
  new Date(Date.parse(SENT_AT) + minutes * MINUTE_MS).toISOString();

export function createOutcome(change: Partial<StepOutcome> = { done: 13 }): StepOutcome {
  const noPeople = { done: 0, failed: 0, notPossible: 0, notNeeded: 0, waiting: 0, unknown: 0 };
  const { reasons = [], ...counts } = { ...noPeople, ...change };
  const people = Object.values(counts).reduce((sum, count) => sum + count, 0);
  return { ...counts, people, reasons };
}

/** Notified 13 people again, 2 minutes after the sending. */
export const createStep = (change: Partial<EscalationStep> = {}): EscalationStep => ({
  action: 'repeat',
  dueAt: minutesAfterSending(2),
  doneAt: minutesAfterSending(2),
  people: 13,
  topic: null,
  by: null,
  outcome: createOutcome(),
  ...change,
});

export const createNextStep = (
  minutes: number,
  change: Partial<EscalationStep> = {},
): EscalationStep =>
  createStep({
    dueAt: minutesAfterSending(minutes),
    doneAt: null,
    people: null,
    outcome: null,
    ...change,
  });

export const createEscalation = (change: Partial<Escalation> = {}): Escalation => ({
  policy: { id: 1, name: 'Storm', quorum: null, steps: [] },
  stopped: null,
  stoppedAt: null,
  stoppedBy: null,
  steps: [
    createStep(),
    createNextStep(10, { action: 'mail' }),
    createNextStep(20, { action: 'notify', topic: 'Control room' }),
  ],
  ...change,
});
