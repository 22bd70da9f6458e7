/** A topic key lets a machine send to one topic. Only its hash is stored. */
import { randomInt } from 'node:crypto';
import { actAs } from '../../audit/record-audit';
import { lockForShare, acquireLock } from '../../db/lock';
import type { Database } from '../../db/open';
import { inTransaction } from '../../db/transaction';
import { sha256 } from '../../lib/sha256';
import type { Services } from '../../services';
import { recordKeyOverBudget } from './key-budget';
import { rateLimitAddress, auditNetwork } from '../connections/client-address';
import { HttpError } from '../errors';
import { consumeLimit } from '../rate-limits';
import type { Limit } from '../rate-limits';
import type { Transact } from './authority';
import { createConcurrencyLimiter } from './person-limits';
import { MINUTE_MS } from '../../lib/durations';

/** Base58: no look-alikes, and a double click selects the whole key. */
const BASE58_LETTERS = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz';
const KEY_LETTERS = 24;
const TOPIC_KEY_PATTERN = /^fbk_[1-9A-HJ-NP-Za-km-z]{24}$/;
const MAX_AUTHORIZATION_LENGTH = 250;

export const generateTopicKey = (): string =>
  `fbk_${Array.from({ length: KEY_LETTERS }, () => BASE58_LETTERS[randomInt(BASE58_LETTERS.length)]).join('')}`;
export const hashTopicKey = (key: string): string => sha256(key);

export interface KeyCaller {
  id: number;
  name: string;
  topicId: number;
  topicTitle: string;
}

/** 60 at once, then one a second. Heartbeats have their own: a flood of messages silences none. */
const requestLimit = (keyId: number, isHeartbeat: boolean): Limit => ({
  key: [isHeartbeat ? 'topic-key-heartbeat' : 'topic-key', String(keyId)],
  max: 60,
  windowMs: MINUTE_MS,
});
/** Wrong keys from one address. A valid key still works from there. */
const wrongKeyLimit = (network: string): Limit => ({
  key: ['topic-key-wrong', network],
  max: 50,
  windowMs: 15 * MINUTE_MS,
});

/** Every cause has the same error, to reveal nothing. */
const createInvalidKeyError = (): HttpError =>
  new HttpError(401, 'This call needs a valid topic key.');
const createRateLimitError =
  (status: 429 | 503) =>
  (seconds: number): HttpError =>
    new HttpError(status, 'This key sends too many requests.', seconds);
const createWrongKeysError = (seconds: number): HttpError =>
  new HttpError(429, 'Too many invalid keys.', seconds);

/** A Bearer token, or a Basic password as in scripts for ntfy. */
function readKeyHash(authorization = ''): string | undefined {
  if (authorization.length > MAX_AUTHORIZATION_LENGTH) return undefined;
  const [, scheme = '', credentials = ''] = /^(Bearer|Basic) +(\S+)$/i.exec(authorization) ?? [];
  const isBasic = scheme.toLowerCase() === 'basic';
  const key = isBasic
    ? Buffer.from(credentials, 'base64')
        .toString()
        .replace(/^[^:]*:|.*/, '')
    : credentials;
  return TOPIC_KEY_PATTERN.test(key) ? hashTopicKey(key) : undefined;
}

interface AdmittedKey {
  key: KeyCaller;
  transact: Transact;
}

interface KeyUse {
  /** The status if the key is used too often. */
  rateLimitStatus: 429 | 503;
  isHeartbeat: boolean;
}

/**
 * @param counts unset for a second check.
 * @throws HttpError 401
 */
type AdmitKey = (
  authorization: string | undefined,
  callerAddress: string,
  counts?: KeyUse,
) => Promise<AdmittedKey>;

export function createKeyCheck(services: Services): AdmitKey {
  const { db, now } = services;
  const limitConcurrency = createConcurrencyLimiter();
  const rejections = rememberRejections(now);

  async function countRequest(
    caller: string,
    limit: Limit,
    createError: (seconds: number) => HttpError,
  ): Promise<void> {
    rejections.demand(caller, createError);
    const seconds = await limitConcurrency(caller, () => consumeLimit([limit], db, now()));
    if (seconds === undefined) return;
    rejections.record(caller, seconds);
    throw createError(seconds);
  }

  /** A script rarely retries after 429, so administrators see that its message was rejected. */
  async function countUse(
    use: string,
    key: KeyCaller,
    { rateLimitStatus: status, isHeartbeat }: KeyUse,
  ): Promise<void> {
    try {
      await countRequest(use, requestLimit(key.id, isHeartbeat), createRateLimitError(status));
    } catch (error) {
      if (status === 429 && !isHeartbeat && error instanceof HttpError)
        await recordKeyOverBudget(key, [], 1, db, now());
      throw error;
    }
  }

  return async (authorization, callerAddress, counts) => {
    const hash = readKeyHash(authorization);
    if (hash === undefined) throw createInvalidKeyError();
    const limitedUse = counts?.isHeartbeat ? `heartbeat ${hash}` : hash;
    if (counts !== undefined)
      rejections.demand(limitedUse, createRateLimitError(counts.rateLimitStatus));
    const topicKey = await findKey(hash, db);
    if (topicKey === undefined) {
      const network = counts && rateLimitAddress(callerAddress);
      if (network !== undefined)
        await countRequest(network, wrongKeyLimit(network), createWrongKeysError);
      throw createInvalidKeyError();
    }
    const { lastUsedAt, ...key } = topicKey;
    if (counts !== undefined) {
      await countUse(limitedUse, key, counts);
      await recordUse(key.id, lastUsedAt, db, now());
    }
    const transact = transactAsKey(key, callerAddress, services);
    return {
      key,
      transact: (work, options) => limitConcurrency(key.id, () => transact(work, options)),
    };
  };
}

/** Remembers rejected callers in this process, so that a repeat costs no statement. */
function rememberRejections(now: () => number) {
  const MAX_REMEMBERED_REJECTIONS = 10_000;
  const rejectedUntil = new Map<string, number>();
  return {
    record(caller: string, seconds: number): void {
      if (rejectedUntil.size >= MAX_REMEMBERED_REJECTIONS) rejectedUntil.clear();
      rejectedUntil.set(caller, now() + seconds * 1000);
    },
    demand(caller: string, createError: (seconds: number) => HttpError): void {
      const remainingMs = (rejectedUntil.get(caller) ?? 0) - now();
      // If the wait is longer than any limit, the clock was set back since.
      if (remainingMs > 0 && remainingMs < MINUTE_MS)
        throw createError(Math.ceil(remainingMs / 1000));
      rejectedUntil.delete(caller);
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

/** The time is written at most once a minute: a key may be used a thousand times a minute. */
async function recordUse(
  id: number,
  lastUsedAt: number | null,
  db: Database,
  now: number,
): Promise<void> {
  if (lastUsedAt !== null && Math.abs(now - lastUsedAt) < MINUTE_MS) return;
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
      if (lock !== undefined) await acquireLock(lock, transaction);
      const row = transaction.selectFrom('topic_keys').select('id').where('id', '=', id);
      if ((await lockForShare(row, transaction).executeTakeFirst()) === undefined)
        throw createInvalidKeyError();
      const author = {
        by: { name: `key: ${name}` },
        network: auditNetwork(callerAddress),
        at: now(),
      };
      actAs(author, transaction);
      return work(transaction);
    });
}
