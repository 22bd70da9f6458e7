/**
 * Topic keys: with one a machine sends to one topic, and does nothing else. A key is `fbk_` and 24
 * characters; only its hash is stored, in a row that ends with it.
 */
import { randomInt } from 'node:crypto';
import { actAs } from '../../audit/record';
import { lockShared, takeLock } from '../../db/lock';
import type { Database } from '../../db/open';
import { inTransaction } from '../../db/transaction';
import { sha256 } from '../../lib/sha256';
import type { Services } from '../../services';
import { noteHeldBack } from '../../topics/key-budget';
import { addressBlock, addressNetwork } from '../connections/address';
import { HttpError } from '../errors';
import { consumeLimit } from '../rate-limits';
import type { Limit } from '../rate-limits';
import type { Transact } from './authority';
import { limitPeople } from './person-limits';

/** Base58: nothing in a key looks like something else, or ends a selection by a double click. */
const LETTERS = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz';
const LENGTH = 24;
const FORM = /^fbk_[1-9A-HJ-NP-Za-km-z]{24}$/;
/** Of a header that holds one, in whatever form. */
const MAX_HEADER = 250;

/** 140 bits by chance. */
export const makeTopicKey = (): string =>
  `fbk_${Array.from({ length: LENGTH }, () => LETTERS[randomInt(LETTERS.length)]).join('')}`;
/** What is stored of a key. */
export const hashOfKey = (key: string): string => sha256(key);

/** A key that somebody sends with, and its topic. */
export interface KeyCaller {
  id: number;
  name: string;
  topicId: number;
  topicTitle: string;
}

const MINUTE = 60_000;
/** So many at once, then one a second. */
const limitOf = (keyId: number): Limit => ({
  key: ['topic-key', String(keyId)],
  max: 60,
  windowMilliseconds: MINUTE,
});
/** Wrong keys from one address. A right one is taken from there all the same. */
const wrongLimit = (block: string): Limit => ({
  key: ['topic-key-wrong', block],
  max: 50,
  windowMilliseconds: 15 * MINUTE,
});

/** The same for every reason. */
const refused = (): HttpError =>
  new HttpError(401, 'This call needs a key of a topic, which is not revoked.');
const tooOften =
  (status: 429 | 503) =>
  (seconds: number): HttpError =>
    new HttpError(status, 'This key sends too often. Please try again later.', seconds);
const tooManyWrong = (seconds: number): HttpError =>
  new HttpError(429, 'Too many wrong keys. Please try again later.', seconds);

/**
 * What is presented as a key, hashed: as Bearer token, or as password, as scripts for ntfy do.
 * @returns undefined for what has not the form of one
 */
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

/**
 * Lets in who has a key, as often as it may be used.
 * @param counts for a use of the key, not a second look: the status of a refusal by the limit
 * @throws HttpError 401, 429
 */
type AdmitKey = (
  authorization: string | undefined,
  from: string,
  counts?: { tooOften: 429 | 503 },
) => Promise<AdmittedKey>;

export function createKeyAdmission(services: Services): AdmitKey {
  const { db, now } = services;
  const inTurn = limitPeople();
  const known = rememberRefusals(now);

  /** Counts one more for the limit. @throws what `refuse` makes of the seconds to wait */
  async function count(
    who: string,
    limit: Limit,
    refuse: (seconds: number) => HttpError,
  ): Promise<void> {
    known.demand(who, refuse);
    const seconds = await inTurn(who, () => consumeLimit([limit], db, now()));
    if (seconds === undefined) return;
    known.note(who, seconds);
    throw refuse(seconds);
  }

  /** A script rarely retries after 429, so administrators see that its message was held back. */
  async function countUse(hash: string, key: KeyCaller, status: 429 | 503): Promise<void> {
    try {
      await count(hash, limitOf(key.id), tooOften(status));
    } catch (error) {
      if (status === 429 && error instanceof HttpError) await noteHeldBack(key, [], 1, db, now());
      throw error;
    }
  }

  return async (authorization, from, counts) => {
    const hash = readKeyHash(authorization);
    if (hash === undefined) throw refused();
    if (counts !== undefined) known.demand(hash, tooOften(counts.tooOften));
    const found = await findKey(hash, db);
    if (found === undefined) {
      const block = counts && addressBlock(from);
      if (block !== undefined) await count(block, wrongLimit(block), tooManyWrong);
      throw refused();
    }
    const { lastUsedAt, ...key } = found;
    if (counts !== undefined) {
      await countUse(hash, key, counts.tooOften);
      await noteUse(key.id, lastUsedAt, db, now());
    }
    const transact = transactAsKey(key, from, services);
    return {
      key,
      transact: (work, order) => inTurn(key.id, () => transact(work, order)),
    };
  };
}

/** Until when somebody is refused, in this process: a repeat costs no statement. */
function rememberRefusals(now: () => number) {
  const MAX_REFUSED = 10_000;
  const until = new Map<string, number>();
  return {
    note(who: string, seconds: number): void {
      if (until.size >= MAX_REFUSED) until.clear();
      until.set(who, now() + seconds * 1000);
    },
    demand(who: string, refuse: (seconds: number) => HttpError): void {
      const left = (until.get(who) ?? 0) - now();
      // Longer than any limit makes wait: the clock was set back since.
      if (left > 0 && left < MINUTE) throw refuse(Math.ceil(left / 1000));
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

/** Once a minute is enough for people, and a key may be used a thousand times in it. */
async function noteUse(
  id: number,
  lastUsedAt: number | null,
  db: Database,
  now: number,
): Promise<void> {
  if (lastUsedAt !== null && Math.abs(now - lastUsedAt) < MINUTE) return;
  await db.updateTable('topic_keys').set({ last_used_at: now }).where('id', '=', id).execute();
}

/** As `transactAs`, on the word of a key: whoever revokes it waits, or comes first. */
function transactAsKey(
  { id, name }: Pick<KeyCaller, 'id' | 'name'>,
  from: string,
  { db, now }: Services,
): Transact {
  return (work, { lock } = {}) =>
    inTransaction(db, async (transaction) => {
      if (lock !== undefined) await takeLock(lock, transaction);
      const row = transaction.selectFrom('topic_keys').select('id').where('id', '=', id);
      if ((await lockShared(row, transaction).executeTakeFirst()) === undefined) throw refused();
      const author = { by: { name: `key: ${name}` }, network: addressNetwork(from), at: now() };
      actAs(author, transaction);
      return work(transaction);
    });
}
