/** A topic key lets a machine send to one topic. Only its hash is stored. */
import { randomInt } from 'node:crypto';
import { actAs } from '../../audit/record';
import { lockShared, takeLock } from '../../db/lock';
import type { Database } from '../../db/open';
import { inTransaction } from '../../db/transaction';
import { sha256 } from '../../lib/sha256';
import type { Services } from '../../services';
import { noteOverBudget } from './key-budget';
import { addressBlock, addressNetwork } from '../connections/address';
import { HttpError } from '../errors';
import { consumeLimit } from '../rate-limits';
import type { Limit } from '../rate-limits';
import type { Transact } from './authority';
import { limitPeople } from './person-limits';

/** Base58: no look-alikes, and a double click selects the whole key. */
const LETTERS = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz';
const LENGTH = 24;
const FORM = /^fbk_[1-9A-HJ-NP-Za-km-z]{24}$/;
const MAX_HEADER = 250;

export const makeTopicKey = (): string =>
  `fbk_${Array.from({ length: LENGTH }, () => LETTERS[randomInt(LETTERS.length)]).join('')}`;
export const hashOfKey = (key: string): string => sha256(key);

export interface KeyCaller {
  id: number;
  name: string;
  topicId: number;
  topicTitle: string;
}

const MINUTE = 60_000;
/** 60 at once, then one a second. */
const limitOf = (keyId: number): Limit => ({
  key: ['topic-key', String(keyId)],
  max: 60,
  windowMilliseconds: MINUTE,
});
/** Wrong keys from one address. A valid key still works from there. */
const wrongLimit = (block: string): Limit => ({
  key: ['topic-key-wrong', block],
  max: 50,
  windowMilliseconds: 15 * MINUTE,
});

/** Same error for every cause, to reveal nothing. */
const invalidKey = (): HttpError => new HttpError(401, 'This call needs a valid topic key.');
const tooOften =
  (status: 429 | 503) =>
  (seconds: number): HttpError =>
    new HttpError(status, 'This key sends too many requests. Please try again later.', seconds);
const tooManyWrong = (seconds: number): HttpError =>
  new HttpError(429, 'Too many invalid keys. Please try again later.', seconds);

/** A Bearer token, or a Basic password as in scripts for ntfy. */
function readKeyHash(authorization = ''): string | undefined {
  if (authorization.length > MAX_HEADER) return undefined;
  const [, scheme = '', given = ''] = /^(Bearer|Basic) +(\S+)$/i.exec(authorization) ?? [];
  const isBasic = scheme.toLowerCase() === 'basic';
  const key = isBasic
    ? Buffer.from(given, 'base64')
        .toString()
        .replace(/^[^:]*:|.*/, '')
    : given;
  return FORM.test(key) ? hashOfKey(key) : undefined;
}

interface AdmittedKey {
  key: KeyCaller;
  transact: Transact;
}

/** @param counts the status if used too often; unset for a second check. @throws HttpError 401 */
type AdmitKey = (
  authorization: string | undefined,
  callerAddress: string,
  counts?: { tooOften: 429 | 503 },
) => Promise<AdmittedKey>;

export function createKeyAdmission(services: Services): AdmitKey {
  const { db, now } = services;
  const inTurn = limitPeople();
  const known = rememberRejections(now);

  async function count(
    who: string,
    limit: Limit,
    rejection: (seconds: number) => HttpError,
  ): Promise<void> {
    known.demand(who, rejection);
    const seconds = await inTurn(who, () => consumeLimit([limit], db, now()));
    if (seconds === undefined) return;
    known.note(who, seconds);
    throw rejection(seconds);
  }

  /** A script rarely retries after 429, so administrators see that its message was held back. */
  async function countUse(hash: string, key: KeyCaller, status: 429 | 503): Promise<void> {
    try {
      await count(hash, limitOf(key.id), tooOften(status));
    } catch (error) {
      if (status === 429 && error instanceof HttpError) await noteOverBudget(key, [], 1, db, now());
      throw error;
    }
  }

  return async (authorization, callerAddress, counts) => {
    const hash = readKeyHash(authorization);
    if (hash === undefined) throw invalidKey();
    if (counts !== undefined) known.demand(hash, tooOften(counts.tooOften));
    const found = await findKey(hash, db);
    if (found === undefined) {
      const block = counts && addressBlock(callerAddress);
      if (block !== undefined) await count(block, wrongLimit(block), tooManyWrong);
      throw invalidKey();
    }
    const { lastUsedAt, ...key } = found;
    if (counts !== undefined) {
      await countUse(hash, key, counts.tooOften);
      await noteUse(key.id, lastUsedAt, db, now());
    }
    const transact = transactAsKey(key, callerAddress, services);
    return {
      key,
      transact: (work, options) => inTurn(key.id, () => transact(work, options)),
    };
  };
}

/** Remembers rejected callers in this process, so that a repeat costs no statement. */
function rememberRejections(now: () => number) {
  const MAX_REJECTED = 10_000;
  const until = new Map<string, number>();
  return {
    note(who: string, seconds: number): void {
      if (until.size >= MAX_REJECTED) until.clear();
      until.set(who, now() + seconds * 1000);
    },
    demand(who: string, rejection: (seconds: number) => HttpError): void {
      const left = (until.get(who) ?? 0) - now();
      // Longer than any limit: the clock was set back since.
      if (left > 0 && left < MINUTE) throw rejection(Math.ceil(left / 1000));
      until.delete(who);
    },
  };
}

const findKey = (hash: string, db: Database) =>
  db
    .selectFrom('topic_keys')
    .innerJoin('topics', 'topics.id', 'topic_keys.topic_id')
    .select([
      'topic_keys.id',
      'topic_keys.name',
      'topic_keys.topic_id as topicId',
      'topics.title as topicTitle',
      'topic_keys.last_used_at as lastUsedAt',
    ])
    .where('topic_keys.hash', '=', hash)
    .executeTakeFirst();

/** Written at most once a minute: a key may be used a thousand times in one. */
async function noteUse(
  id: number,
  lastUsedAt: number | null,
  db: Database,
  now: number,
): Promise<void> {
  if (lastUsedAt !== null && Math.abs(now - lastUsedAt) < MINUTE) return;
  await db.updateTable('topic_keys').set({ last_used_at: now }).where('id', '=', id).execute();
}

/** `transactAs` for a key: locks its row, so that a revocation comes before or after. */
function transactAsKey(
  { id, name }: Pick<KeyCaller, 'id' | 'name'>,
  callerAddress: string,
  { db, now }: Services,
): Transact {
  return (work, { lock } = {}) =>
    inTransaction(db, async (transaction) => {
      if (lock !== undefined) await takeLock(lock, transaction);
      const row = transaction.selectFrom('topic_keys').select('id').where('id', '=', id);
      if ((await lockShared(row, transaction).executeTakeFirst()) === undefined) throw invalidKey();
      const author = {
        by: { name: `key: ${name}` },
        network: addressNetwork(callerAddress),
        at: now(),
      };
      actAs(author, transaction);
      return work(transaction);
    });
}
