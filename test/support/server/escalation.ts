/** Messages with escalation steps. */
import type {
  ResponseOf,
  Body,
  NewPolicy,
  PolicyStep,
  Receipt,
} from '../../../src/shared/contract';
import type { EscalationStepRow, MessageRow } from '../../../server/db/schema';
import { createAudienceHelpers } from './audience';
import type { Person, CallResult, TestServer } from './server';

export const MINUTE_MS = 60_000;
const ADD_POLICY_CALL = 'POST /api/admin/policies';

/** A step that notifies again, minutes after sending. */
export const notifyAgainAfter = (minutes: number): PolicyStep => ({
  after: minutes * 60,
  action: 'repeat',
});

/** @param server the server of the running test */
export function createEscalationHelpers(server: TestServer) {
  const audience = createAudienceHelpers(server);
  let createdCount = 0;
  let admin: Person | undefined;
  const asAdmin = async (): Promise<Person> => (admin ??= await server.createPerson('ADMIN'));
  async function addPolicy(
    policy: Partial<NewPolicy>,
  ): Promise<CallResult<typeof ADD_POLICY_CALL>> {
    const body = { name: `Policy ${(createdCount += 1)}`, steps: [notifyAgainAfter(3)], ...policy };
    return server.call(ADD_POLICY_CALL, { as: await asAdmin(), body });
  }
  return {
    ...audience,
    asAdmin,
    addPolicy,
    async sendEscalating(
      steps: PolicyStep[],
      message: Partial<Body<'POST /api/admin/messages'>>,
      quorum: number | null = null,
    ): Promise<string> {
      const { body: policy } = await addPolicy({ steps, quorum });
      const sentResponse = await audience.send({
        answers: ['Got it'],
        policyId: policy.id,
        ...message,
      });
      return sentResponse.body.messageId;
    },
    async answer(
      person: Person,
      messageId: string,
      kind: Receipt['kind'] = 'acknowledged',
    ): Promise<number> {
      const receipt = { messageId, kind, ...(kind === 'acknowledged' && { answer: 'Got it' }) };
      const { status } = await server.sendReceipts(person, [receipt]);
      return status;
    },
    /** Moves the clock and runs the due steps; all pushes are accepted. */
    async advance(minutes: number): Promise<void> {
      server.clock.now += minutes * MINUTE_MS;
      await server.jobs.runDue();
      await audience.acceptAll();
    },
    async readEscalation(
      id: string,
    ): Promise<ResponseOf<'GET /api/admin/messages/:id/escalation'>> {
      const { body } = await server.call('GET /api/admin/messages/:id/escalation', {
        as: await asAdmin(),
        params: { id },
      });
      return body;
    },
    readSteps: (messageId: string): Promise<EscalationStepRow[]> =>
      server.services.db
        .selectFrom('escalation_steps')
        .selectAll()
        .where('message_id', '=', messageId)
        .orderBy('position')
        .execute(),
    readMessageRow: (id: string): Promise<MessageRow> =>
      server.services.db
        .selectFrom('messages')
        .selectAll()
        .where('id', '=', id)
        .executeTakeFirstOrThrow(),
    /** The people notified in each further round. */
    async readRounds(messageId: string): Promise<number[][]> {
      const rounds: number[][] = [];
      for (const { round, user_id } of await audience.readDeliveries(messageId))
        if (round > 0) (rounds[round - 1] ??= []).push(user_id);
      return rounds;
    },
    readJobs: (kind: string) =>
      server.services.db
        .selectFrom('jobs')
        .where('kind', '=', kind)
        .select(['subject', 'due_at'])
        .orderBy('subject')
        .execute(),
  };
}
