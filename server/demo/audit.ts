/** The audit log of the sample: what its administrator did lately. */
import { actAs, record } from '../audit/record';
import type { Actor, Entry } from '../audit/record';
import type { Database } from '../db/open';
import { inTransaction } from '../db/transaction';

const MINUTE = 60 * 1000;
const OFFICE = '203.0.113.0/24';

interface Told extends Entry {
  minutesAgo: number;
  by?: Actor;
  network?: string;
}

/** @param others people of the sample, at least three */
export async function insertAudit(
  db: Database,
  now: number,
  admin: number,
  others: readonly number[],
): Promise<void> {
  const [one, other, third] = others;
  const unknown = { by: { name: 'unknown' }, network: '198.51.100.0/24' };
  const told: Told[] = [
    { minutesAgo: 2900, action: 'user.add', person: other, detail: 'Technician' },
    { minutesAgo: 2890, action: 'subscription.add', person: other, detail: 'Grid outages' },
    {
      minutesAgo: 1700,
      ...unknown,
      action: 'login.failed',
      person: admin,
      detail: 'Wrong password',
    },
    {
      ...unknown,
      minutesAgo: 1699,
      action: 'login.failed',
      person: admin,
      detail: 'Wrong password, 4 times within an hour',
    },
    { minutesAgo: 1650, action: 'topic.delete', on: 'Test topic', detail: '0 subscribers' },
    { minutesAgo: 1600, action: 'device.remove', person: third, detail: 'Safari, iPhone or iPad' },
    { minutesAgo: 900, by: { name: 'command line' }, action: 'backup.make' },
    {
      minutesAgo: 610,
      by: { person: one ?? admin },
      network: '2001:db8:17::/48',
      action: 'login',
      person: one,
      detail: 'By password',
    },
    { minutesAgo: 600, action: 'user.role', person: other, detail: 'Customer to Technician' },
    { minutesAgo: 420, action: 'key.add', on: 'Grid outages', detail: 'SCADA north' },
    {
      minutesAgo: 300,
      by: { name: 'key: SCADA north' },
      action: 'message.send',
      on: 'Grid outages',
      detail: '22 people, urgent',
    },
    { minutesAgo: 60, action: 'export', on: 'Grid outages', detail: 'Recipients of a message' },
    {
      minutesAgo: 45,
      action: 'message.send',
      on: 'Storm and flood warnings + 2',
      detail: '31 people, urgent',
    },
  ];
  for (const { minutesAgo, by = { person: admin }, network = OFFICE, ...entry } of told)
    await inTransaction(db, (transaction) => {
      const isByRequest = !('name' in by && by.name === 'command line');
      const at = now - minutesAgo * MINUTE;
      actAs({ by, at, ...(isByRequest && { network }) }, transaction);
      return record(entry, transaction);
    });
}
