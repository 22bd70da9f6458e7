/** People in their quiet hours. */
import type { QuietRule, SentMessage } from '../../../src/shared/contract';
import { QUIET_JOB } from '../../../server/db/jobs/kinds';
import { createAudienceHelpers } from './audience';
import type { Person, TestServer } from './server';

const EVERY_DAY = [1, 2, 3, 4, 5, 6, 7];
/** A Sunday's 23:00 in UTC: quiet until six. */
export const NIGHT = Date.parse('2026-11-22T23:00:00Z');
export const MORNING = Date.parse('2026-11-23T06:00:00Z');
export const HOUR_MS = 3600_000;
export const daily = (from: string, to: string): QuietRule => ({ days: EVERY_DAY, from, to });
const NIGHTS = daily('22:00', '06:00');

/** @param server the server of the running test */
export function createQuietHoursHelpers(server: TestServer) {
  const audience = createAudienceHelpers(server);
  const { createMember, createCrowd, send } = audience;
  const setHours = async (ids: readonly number[], rules: QuietRule[], time_zone = 'UTC') => {
    for (const user_id of ids)
      await server.services.db
        .insertInto('quiet_hours')
        .values({ user_id, time_zone, rules: JSON.stringify(rules) })
        .execute();
  };
  return {
    ...audience,
    setHours,
    saveHours: (person: Person, rules: QuietRule[], timeZone = 'UTC') =>
      server.call('PUT /api/notifications/quiet-hours', {
        as: person,
        body: { timeZone, rules },
      }),
    readHours: async (person: Person) =>
      (await server.call('GET /api/notifications/quiet-hours', { as: person })).body,
    /** Adds a person with quiet hours every night and `devices` devices, subscribed to the topics. */
    async createSleeper(devices: number, ...topicIds: number[]): Promise<Person> {
      const person = await createMember(devices, ...topicIds);
      await setHours([person.id], [NIGHTS]);
      return person;
    },
    /** @returns a new topic with that many people who are quiet every night, each with a device */
    async createSleepers(people: number): Promise<number> {
      const topic = await createCrowd(people);
      await server.services.db
        .insertInto('quiet_hours')
        .columns(['user_id', 'time_zone', 'rules'])
        .expression((build) =>
          build
            .selectFrom('users')
            .where('username', 'like', 'crowd %')
            .select(({ val }) => [
              'id',
              val('UTC').as('time_zone'),
              val(JSON.stringify([NIGHTS])).as('rules'),
            ]),
        )
        .execute();
      return topic;
    },
    /** @returns the message's id */
    async sendInfo(to: Parameters<typeof send>[0]): Promise<string> {
      const { status, body } = await send({ priority: 'info', ...to });
      if (status !== 202) throw new Error(`Sending failed: ${status}`);
      return body.messageId;
    },
    /** The people whom a job notifies, and when. */
    readJobs: async (): Promise<[userId: number, dueAt: number][]> =>
      (
        await server.services.db
          .selectFrom('jobs')
          .where('kind', '=', QUIET_JOB)
          .select(['subject', 'due_at'])
          .orderBy('id')
          .execute()
      ).map(({ subject, due_at }) => [Number(subject), due_at]),
    async readMessage(id: string): Promise<SentMessage> {
      const as = await server.createPerson('ADMIN');
      return (await server.call('GET /api/admin/messages/:id', { as, params: { id } })).body;
    },
    async inboxOf(person: Person): Promise<string[]> {
      const { body } = await server.call('GET /api/notifications/messages', { as: person });
      return body.messages.map(({ id }) => id);
    },
  };
}
