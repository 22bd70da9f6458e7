/** Each chunk locks the message and moves `written_to`, so a crash skips no recipient. */
import { firstOrderKey } from '../../db/outbox/queue-order';
import type { Transaction } from 'kysely';
import { MESSAGE_JOBS, NOTIFY_AGAIN_JOB, REVISION_JOB, TEST_JOB } from '../../db/jobs/kinds';
import type { Job } from '../../db/jobs/jobs';
import { cancelRows } from '../../db/outbox/maintenance';
import type { MessageRow, Tables } from '../../db/schema';
import { writeSomeTests } from '../../device-tests/test-rounds';
import type { JobSteps } from '../../jobs/job-steps';
import type { Services } from '../../services';
import { delaySteps } from '../../escalation/plan-steps';
import { countPeople } from '../../subscriptions/audience-size';
import { readStoredAudience, lockMessage } from '../lock-message';
import { withdrawHeldMessage } from '../held-messages/hold';
import { continueRevision, isRevising } from '../corrections/revise';
import { addSentEvent } from '../message-event';
import { NO_ROUND } from '../notify-again';
import { continueNotifyAgain } from '../notify-again-request';
import { delayTeamDeletions } from '../../teams/teams';
import { countWritten, writeRecipients } from './ledger';
import { lockIfMaySend, withholdMessage } from './withheld';

/** Each step writes one chunk, so that other jobs run in between. */
export const chunkSteps: JobSteps = {
  kinds: MESSAGE_JOBS,
  limit: 1,
  step: async (job, transaction, services) =>
    (await writeChunk(job, transaction, services)) ? undefined : services.now(),
};

/** @returns whether it is complete */
async function writeChunk(
  { kind, subject }: Job,
  transaction: Transaction<Tables>,
  services: Pick<Services, 'now' | 'log'>,
): Promise<boolean> {
  const mayGoOut = await lockIfMaySend(subject, transaction);
  const message = await lockMessage(subject, transaction);
  const now = services.now();
  // The message was already deleted as old.
  if (message === undefined) return true;
  if (message.state === 'cancelled') {
    const withdrawn = await cancelRows(message.id, transaction, now);
    return withdrawn + (await withdrawHeldMessage(message.id, transaction)) === 0;
  }
  if (kind === REVISION_JOB) return continueRevision(message, transaction, now);
  if (kind === NOTIFY_AGAIN_JOB) return continueNotifyAgain(message, transaction, now);
  if (message.state === 'sent') return true;
  if (message.withheld !== null) return true;
  if (message.as_sender === 1 && !mayGoOut) {
    await withholdMessage(message, transaction, services.log);
    return true;
  }
  // A correction reaches those who have the old text before anyone else is written.
  if (isRevising(message, now)) {
    await continueRevision(message, transaction, now);
    return false;
  }
  return kind === TEST_JOB
    ? writeSomeTests(message, transaction, now)
    : writeNextChunk(message, transaction, now);
}

async function writeNextChunk(
  message: MessageRow,
  transaction: Transaction<Tables>,
  now: number,
): Promise<boolean> {
  const audience = readStoredAudience(message);
  await delayTeamDeletions(audience.teamIds, transaction);
  const isFirst = message.state === 'scheduled';
  const delay = now - (message.send_at ?? message.created_at);
  if (isFirst && message.policy !== null && delay > 0)
    await delaySteps(message.id, delay, transaction);
  const cursor = {
    writtenTo: message.written_to,
    nextKey: isFirst ? firstOrderKey(message, now) : message.next_key,
  };
  const chunk = await writeRecipients(message, audience, cursor, transaction, now);
  const people = chunk.isComplete
    ? await countWritten(message.id, transaction)
    : isFirst
      ? await countPeople(audience, transaction)
      : message.people;
  // The column is null if an older version wrote the earlier chunks.
  const reachableBefore = message.written_to === 0 ? 0 : message.reachable;
  await transaction
    .updateTable('messages')
    .set({
      state: chunk.isComplete ? 'sent' : 'writing',
      people,
      reachable: reachableBefore === null ? null : reachableBefore + chunk.reached + chunk.held,
      written_to: chunk.isComplete ? NO_ROUND : chunk.writtenTo,
      next_key: chunk.nextKey,
    })
    .where('id', '=', message.id)
    .execute();
  if (chunk.isComplete) await addSentEvent(message.id, transaction, now);
  return chunk.isComplete;
}
