import type { Role, UserStatus } from '../../src/shared/contract';
import { openServerDatabase } from '../abuse/people.mjs';
import { ExpectedData, pairKey } from './expected-data';

export interface Database {
  readData(): Promise<ExpectedData>;
  deviceOf(token: string): Promise<number | undefined>;
  countDeliveries(): Promise<Map<string, number>>;
  close(): Promise<void>;
}

interface Tables {
  users: { id: number; username: string; email: string | null; role: Role; status: UserStatus };
  topics: { id: number; title: string; description: string };
  subscriptions: { user_id: number; topic_id: number };
  account_preferences: { user_id: number; topic_id: number; enabled: number };
  devices: { id: number; user_id: number; token: string };
  device_preferences: { device_id: number; topic_id: number; enabled: number };
}

/** @param phones the beginning of the phones' endpoints */
export async function openDatabase(folder: string, phones: string): Promise<Database> {
  const database = await openServerDatabase({ DATA_DIR: folder, DATABASE_URL: '' });
  const queryRows = <Row>(query: string) => database.all(query) as Promise<Row[]>;
  const readTable = <Name extends keyof Tables>(name: Name) =>
    queryRows<Tables[Name]>(`select * from ${name}`);
  const endpointOf = (token: string) => (JSON.parse(token) as { endpoint: string }).endpoint;

  async function readData(): Promise<ExpectedData> {
    const actualData = new ExpectedData();
    for (const { id, username, email, role, status } of await readTable('users'))
      actualData.users.set(id, { username, email, role, status });
    for (const { id, title, description } of await readTable('topics'))
      actualData.topics.set(id, { title, description });
    for (const { user_id, topic_id } of await readTable('subscriptions'))
      actualData.subscriptions.add(pairKey(user_id, topic_id));
    for (const { user_id, topic_id, enabled } of await readTable('account_preferences'))
      actualData.preferences.set(pairKey(user_id, topic_id), enabled === 1);
    for (const { id, user_id, token } of await readTable('devices')) {
      const endpoint = endpointOf(token);
      actualData.devices.set(id, {
        user: user_id,
        phone: endpoint.startsWith(phones) ? endpoint.slice(phones.length) : '',
      });
    }
    for (const { device_id, topic_id, enabled } of await readTable('device_preferences'))
      actualData.devicePreferences.set(pairKey(device_id, topic_id), enabled === 1);
    const messages = await queryRows<{
      id: string;
      text: string;
      topic_id: number | null;
      sender_id: number | null;
      devices: number;
    }>(
      'select *, (select count(*) from deliveries where message_id = messages.id) as devices from messages',
    );
    for (const { id, text, topic_id, sender_id, devices } of messages)
      actualData.messages.set(id, { text, topic: topic_id, sender: sender_id, devices });
    return actualData;
  }

  return {
    readData,
    deviceOf: async (token) =>
      (await readTable('devices')).find((device) => endpointOf(device.token) === endpointOf(token))
        ?.id,
    async countDeliveries() {
      const rows = await queryRows<{ state: string; count: number }>(
        'select state, count(*) as count from deliveries group by state',
      );
      return new Map(rows.map(({ state, count }) => [state, count]));
    },
    async close() {
      await database.close();
    },
  };
}
