/** Exports all data on a person as one JSON file, generated while it is read. */
import type { AccountExport } from '../../src/shared/contract';
import type { Database } from '../db/open';
import type { UserRow } from '../db/schema';
import { recordAudit } from '../audit/record-audit';
import { readUserEntries } from '../audit-log/entries';
import type { Transact } from '../http/access/authority';
import { respondWithDownload } from '../http/downloads';
import { HttpError } from '../http/errors';
import type { AddRoute } from '../http/route';
import { consumeLimit } from '../http/rate-limits';
import type { Limit } from '../http/rate-limits';
import { readHours } from '../quiet-hours/hours';
import { listSenderTopicTitles } from '../senders/topics';
import type { Services } from '../services';
import { readTeamsByUser } from '../memberships/teams-of-people';
import { readAccount } from '../accounts/own-account/account';
import { listPasskeys } from '../accounts/passkeys/own-passkeys';
import {
  readCheckIns,
  readDevices,
  readMessages,
  readOwnSent,
  readTests,
  readOwnTopics,
} from './lists';
import type { ExportCursor, ExportPage } from './lists';
import { toTime, toTimeOrNull } from '../lib/clock';

const exportLimit = (userId: number): Limit => ({
  key: ['account-export', String(userId)],
  max: 5,
  windowMs: 60 * 60 * 1000,
});

export function addAccountExportRoute(add: AddRoute, services: Services): void {
  const file = { type: 'application/json', name: 'fieldbell-account.json' };
  add('GET /api/account/export', {
    action: 'account.export',
    respond: (call) => respondWithDownload(call, services, file, () => beginExport(call, services)),
  });
}

/** @throws HttpError 429 */
async function beginExport(
  { user, transact }: { user: UserRow; transact: Transact },
  services: Services,
): Promise<AsyncGenerator<string>> {
  const { db, now } = services;
  const wait = await consumeLimit([exportLimit(user.id)], db, now());
  if (wait !== undefined)
    throw new HttpError(429, 'You can download your data five times an hour.', wait);
  await transact((transaction) =>
    recordAudit(
      { action: 'export', person: user.id, detail: 'All data stored about this person' },
      transaction,
    ),
  );
  return piecesOf(user, services);
}

type ExportedLists = Pick<
  AccountExport,
  'topics' | 'devices' | 'tests' | 'messages' | 'sent' | 'checkIns' | 'audit'
>;

async function* piecesOf(user: UserRow, services: Services): AsyncGenerator<string> {
  const { db, now } = services;
  const { timeZone, rules } = await readHours(user.id, db, now());
  const head: Omit<AccountExport, keyof ExportedLists> = {
    exportedAt: toTime(now()),
    account: await describeAccount(user, services),
    quietHours: { timeZone, rules },
    teams: (await readTeamsByUser([user.id], db)).get(user.id) ?? [],
    sendsTo: await listSenderTopicTitles(user.id, db),
  };
  yield JSON.stringify(head).slice(0, -1);
  const lists: { [Name in keyof ExportedLists]: AsyncGenerator<ExportedLists[Name]> } = {
    topics: pagesOf((after) => readOwnTopics(user.id, db, after)),
    devices: pagesOf((after) => readDevices(user.id, db, after)),
    tests: pagesOf((after) => readTests(user.id, db, after, now())),
    messages: pagesOf((after) => readMessages(user.id, db, after)),
    sent: pagesOf((after) => readOwnSent(user.id, db, after)),
    checkIns: pagesOf((after) => readCheckIns(user.id, db, after, now())),
    audit: readUserEntries(user.id, db),
  };
  for (const [name, pages] of Object.entries(lists)) {
    yield `,\n${JSON.stringify(name)}:[`;
    yield* rowsOf(pages);
    yield ']';
  }
  yield '}\n';
}

async function* pagesOf<Row>(
  read: (after: ExportCursor) => Promise<ExportPage<Row>>,
): AsyncGenerator<Row[]> {
  for (let after: ExportCursor; ; ) {
    const { rows, next } = await read(after);
    yield rows;
    if (next === undefined) return;
    after = next;
  }
}

async function* rowsOf(pages: AsyncIterable<unknown[]>): AsyncGenerator<string> {
  let separator = '\n';
  for await (const rows of pages) {
    if (rows.length === 0) continue;
    yield separator + rows.map((row) => JSON.stringify(row)).join(',\n');
    separator = ',\n';
  }
}

async function describeAccount(
  user: UserRow,
  services: Services,
): Promise<AccountExport['account']> {
  const { email_verified_at, device_lost_at, device_lost_why, status } = user;
  return {
    ...(await readAccount(user, services)),
    status,
    emailVerifiedAt: toTimeOrNull(email_verified_at),
    browserLanguage: user.browser_language,
    deviceLost:
      device_lost_at === null || device_lost_why === null
        ? null
        : { at: toTime(device_lost_at), why: device_lost_why },
    passkeys: (await listPasskeys(user.id, services.db)).map(({ id: _, ...shown }) => shown),
    knownBrowsers: await readBrowsers(user.id, services.db),
  };
}

async function readBrowsers(userId: number, db: Database): Promise<string[]> {
  const rows = await db
    .selectFrom('known_clients')
    .where('user_id', '=', userId)
    .select('last_seen_at')
    .orderBy('last_seen_at', 'desc')
    .execute();
  return rows.map(({ last_seen_at }) => toTime(last_seen_at));
}
