/** People with devices in each state of reach. */
import type { Insertable } from 'kysely';
import { foldCase } from '../../../src/shared/case-fold';
import type { Tables } from '../../../server/db/schema';
import type { TestServer } from './server';

type DeviceReach = Partial<Insertable<Tables['device_reach']>>;
type Device = Partial<Insertable<Tables['devices']>>;

/** @param server the server of the running test */
export function createReachHelpers(server: TestServer) {
  let deviceCount = 0;
  /** If `reach` is missing, no push was ever accepted or rejected for it. */
  const addDevice = async (
    user_id: number,
    reach?: DeviceReach,
    device: Device = {},
  ): Promise<number> => {
    const { db } = server.services;
    const token = `device ${++deviceCount}`;
    const times = { created_at: 0, last_seen_at: deviceCount };
    const { id } = await db
      .insertInto('devices')
      .values({
        ...{ user_id, token, token_hash: token, type: 'web', user_agent: '', ...times },
        ...device,
      })
      .returning('id')
      .executeTakeFirstOrThrow();
    if (reach !== undefined)
      await db
        .insertInto('device_reach')
        .values({ ...reach, device_id: id })
        .execute();
    return id;
  };
  return {
    addDevice,
    /** A person with a device for each `reach`. */
    async addPerson(username: string, ...devices: DeviceReach[]): Promise<number> {
      const { id } = await server.services.db
        .insertInto('users')
        .values({
          username,
          username_key: foldCase(username),
          role: 'TECHNICIAN',
          status: 'ACTIVE',
          created_at: 0,
        })
        .returning('id')
        .executeTakeFirstOrThrow();
      for (const reach of devices) await addDevice(id, reach);
      return id;
    },
    /** The history that puts a device just into each state. */
    readReach(): Record<'reachable' | 'late' | 'untested' | 'silent' | 'failing', DeviceReach> {
      const { now } = server.clock;
      const displayed = { accepted_at: now, displayed_at: now, displayed_accepted_at: now };
      return {
        reachable: displayed,
        late: { ...displayed, median_delay: 60_001 },
        untested: { accepted_at: now },
        silent: { accepted_at: now, third_accepted_at: now },
        failing: { ...displayed, refused_at: now, refusals: 1 },
      };
    },
  };
}
