/**
 * Fills every table that grows with people, messages or time, so that reading all of one shows in a
 * statement's plan. Existing rows keep their ids.
 */
import { type RawBuilder, sql } from 'kysely';
import { isOnPostgres } from '../../../server/db/lock';
import type { Database } from '../../../server/db/open';

/** Other tables have as many rows or several times as many. */
const PEOPLE_COUNT = 20_000;
/** The first id of added rows, far above a test's own ids. */
const FIRST_USER_ID = 1_000_000;
const FUTURE_TIME = 9e12;

/** Tables that stay small: people fill them by hand, or there is a limit. */
export const SMALL_TABLES = [
  'check_in_settings',
  'policies',
  'recovery_codes',
  'second_factors',
  'settings',
  'team_topics',
  'teams',
  'templates',
  'topic_sender_teams',
  'topic_senders',
  'webhook_calls',
  'webhooks',
];

/** @param now by the test's clock; a few rows of each table are past their retention */
export async function fillTables(db: Database, now: number): Promise<void> {
  const series = (most: number): RawBuilder<unknown> =>
    sql`(with recursive n(i) as (select 1 union all select i + 1 from n where i < ${sql.lit(most)}) select i from n) as n`;
  const run = async (statement: RawBuilder<unknown>): Promise<void> => {
    await statement.execute(db);
  };
  const people = series(PEOPLE_COUNT);
  const user = sql`(${sql.lit(FIRST_USER_ID)} + i)`;
  /** The end of each row: the first two have ended. */
  const end = sql`case when i <= 2 then 1 else ${sql.lit(FUTURE_TIME)} end`;
  const recent = sql`case when i <= 2 then i else ${sql.lit(now - 3600_000)} + i end`;

  await run(sql`insert into users (id, username, username_key, email, email_key, role, status, created_at)
    select ${user}, 'user ' || i, 'user ' || i, 'u' || i || '@mail.example', 'u' || i || '@mail.example',
      'CUSTOMER', 'ACTIVE', i from ${people}`);
  await run(sql`insert into topics (id, title, description, search_key, created_at, updated_at)
    select ${user}, 'Topic ' || i, 'About ' || i, 'topic ' || i || ' and what else there is to say', i, i from ${people}`);
  await run(sql`insert into subscriptions (user_id, topic_id, created_at)
    select ${sql.lit(FIRST_USER_ID)} + 1 + i % ${sql.lit(PEOPLE_COUNT)}, ${sql.lit(FIRST_USER_ID)} + 1 + (i * 7) % 997 + (i / ${sql.lit(PEOPLE_COUNT)}) * 1000, 0
    from ${series(3 * PEOPLE_COUNT)}`);
  await run(sql`insert into account_preferences (user_id, topic_id, enabled)
    select ${user}, ${user}, 0 from ${people}`);
  await run(sql`insert into teams (id, name, name_key, created_at)
    select ${user}, 'Team ' || i, 'team ' || i, i from ${series(1000)}`);
  await run(sql`insert into team_members (team_id, user_id)
    select ${sql.lit(FIRST_USER_ID)} + 1 + i % 1000, ${user} from ${people}`);
  await run(sql`insert into push_services (id, origin)
    select ${user}, 'https://push-' || i || '.example' from ${people}`);
  await run(sql`insert into devices (id, user_id, token, token_hash, type, user_agent, created_at, last_seen_at, service_id)
    select ${user}, ${user}, 'token ' || i, 'hash ' || i, 'web', '', 0, 0, ${user} from ${people}`);
  await run(sql`insert into device_preferences (device_id, topic_id, enabled)
    select ${user}, ${user}, 0 from ${people}`);
  await run(sql`insert into device_reach (device_id) select ${user} from ${people}`);
  await fillAccounts(run, { people, user, end });
  await fillMessages(run, { people, user, recent, series, now });
  await run(sql`insert into audit_entries (at, action, actor_id, actor, target, detail, search_key)
    select ${recent}, 'login', ${user}, '', '', '', 'login 2026-11-20' from ${series(3 * PEOPLE_COUNT)}`);
  await run(sql`insert into jobs (kind, subject, created_at, due_at)
    select case i % 4 when 0 then 'mail-invitation' when 1 then 'quiet-end' when 2 then 'escalation' else 'message' end,
      'subject ' || i, 0, ${sql.lit(FUTURE_TIME)} from ${people}`);
  await run(sql`insert into check_ins (id, user_id, minutes, grace_minutes, state, started_at, begun_at, ask_at, due_at, alarm_at, ended_at)
    select ${user}, ${user}, 60, 5, case i % 20 when 0 then 'running' else 'ended' end, i, i, ${sql.lit(FUTURE_TIME)}, ${sql.lit(FUTURE_TIME)}, ${sql.lit(FUTURE_TIME)},
      case i % 20 when 0 then null else ${recent} end from ${people}`);
  await run(sql`insert into check_in_messages (message_id, check_in_id, kind)
    select 'old message ' || i, ${user}, 'ask' from ${people}`);
  await sql`analyze`.execute(db);
  if (isOnPostgres(db)) await pretendMore(db);
}

/**
 * Lets PostgreSQL count each row as fifty; with so few rows it finds reading a table cheaper than a
 * hundred look-ups.
 */
async function pretendMore(db: Database): Promise<void> {
  await sql`update pg_class set reltuples = reltuples * 50 where reltuples >= ${sql.lit(PEOPLE_COUNT)} and relkind in ('r', 'i')`.execute(
    db,
  );
}

type Run = (statement: RawBuilder<unknown>) => Promise<void>;
interface Parts {
  people: RawBuilder<unknown>;
  user: RawBuilder<unknown>;
}

async function fillAccounts(
  run: Run,
  { people, user, end }: Parts & { end: RawBuilder<unknown> },
): Promise<void> {
  await run(sql`insert into one_time_tokens (user_id, purpose, nonce, token_hash, created_at, expires_at)
    select ${user}, 'registration', 'nonce', 'link ' || i, 0, ${end} from ${people}`);
  await run(
    sql`insert into invitations (user_id, imported_at) select ${user}, 1 + i / 20 from ${people}`,
  );
  await run(sql`insert into known_clients (user_id, token_hash, last_seen_at)
    select ${user}, 'client ' || i, ${end} from ${people}`);
  await run(sql`insert into passkeys (id, user_id, credential_id, public_key, sign_count, name, created_at)
    select 'passkey ' || i, ${user}, 'credential ' || i, 'key', 0, 'Phone', i from ${people}`);
  await run(sql`insert into passkey_challenges (hash, user_id, ends_at)
    select 'challenge ' || i, ${user}, ${end} from ${people}`);
  await run(sql`insert into email_changes (user_id, email, ends_at)
    select ${user}, 'new' || i || '@mail.example', ${end} from ${people}`);
  await run(sql`insert into ended_sessions (session_id, user_id, ends_at)
    select 'session ' || i, ${user}, ${end} from ${people}`);
  await run(
    sql`insert into rate_limits (key, count, ends_at) select 'limit ' || i, 1, ${end} from ${people}`,
  );
  await run(sql`insert into requests (key, user_id, fingerprint, ends_at)
    select 'request ' || i, ${user}, '', ${end} from ${people}`);
  await run(sql`insert into identities (issuer, subject, user_id, linked_at)
    select 'https://company.example', 'sub ' || i, ${user}, 0 from ${people}`);
  await run(sql`insert into quiet_hours (user_id, time_zone, rules)
    select ${user}, 'UTC', '[{"days":[1],"from":"22:00","to":"06:00"}]' from ${people}`);
  await run(sql`insert into inboxes (user_id, last_seq) select ${user}, 10 from ${people}`);
  await run(sql`insert into topic_keys (topic_id, name, prefix, hash, created_at)
    select ${user}, 'key', 'fbk_aaaa', 'key ' || i, 0 from ${people}`);
}

async function fillMessages(
  run: Run,
  {
    people,
    user,
    recent,
    series,
    now,
  }: Parts & {
    recent: RawBuilder<unknown>;
    series: (most: number) => RawBuilder<unknown>;
    now: number;
  },
): Promise<void> {
  const tenfoldSeries = series(10 * PEOPLE_COUNT);
  // The first two are old, and one in a hundred has nothing left in the outbox.
  await run(sql`insert into messages (id, kind, topic_id, topic_title, sender_id, text, search_key, created_at, expires_at, retired, people)
    select 'old message ' || i, case i % 20 when 0 then 'test' when 1 then 'digest' else 'message' end, ${user}, 'Topic', ${user}, 'Text ' || i,
      'topic text number ' || i || ' with some more to read', ${recent},
      case when i <= 2 then i + 1 else ${sql.lit(now + 3600_000)} + i end, case when i % 100 = 0 then 1 else 0 end, 10 from ${people}`);
  await run(sql`insert into message_topics (message_id, topic_id, position)
    select 'old message ' || i, ${user}, 0 from ${people}`);
  await run(sql`insert into escalation_steps (message_id, position, action, due_at)
    select 'old message ' || i, 0, 'repeat', ${sql.lit(FUTURE_TIME)} from ${people}`);
  await run(sql`insert into alerts (topic_id, fingerprint, starts_at, message_id, seen_at)
    select ${user}, 'alert ' || i, '2026', 'old message ' || i, ${recent} from ${people}`);
  await run(sql`insert into recipients (message_id, user_id, seq, topic_id, state, devices, waiting, digest_id)
    select 'old message ' || (1 + i % ${sql.lit(PEOPLE_COUNT)}), ${sql.lit(FIRST_USER_ID)} + 1 + (i / 10) % ${sql.lit(PEOPLE_COUNT)}, 1 + i % 10, ${sql.lit(FIRST_USER_ID)} + 1,
      case when i % 500 = 0 then 'held' else 'accepted' end, 1, 0,
      case when i % 100 = 0 then 'old message ' || (1 + i % ${sql.lit(PEOPLE_COUNT)}) end from ${tenfoldSeries}`);
  await run(sql`insert into deliveries (message_id, user_id, device_id, device_type, state, due_at, updated_at, created_at, service_id, sort_key)
    select 'old message ' || (1 + i % ${sql.lit(PEOPLE_COUNT)}), ${sql.lit(FIRST_USER_ID)} + 1 + (i / 10) % ${sql.lit(PEOPLE_COUNT)}, ${sql.lit(FIRST_USER_ID)} + 1 + (i / 10) % ${sql.lit(PEOPLE_COUNT)},
      'web', case when i % 10 = 0 then 'pending' else 'accepted' end, ${sql.lit(now)} + i, ${sql.lit(now)}, ${sql.lit(now)},
      ${sql.lit(FIRST_USER_ID)} + 1 + i % 100, ${sql.lit(now)} + i from ${tenfoldSeries}`);
  await run(sql`insert into tests (id, message_id, user_id, device_id, created_at, announced_at, send_at)
    select 'old test ' || i, 'old message ' || (20 * (1 + i % 990)), ${sql.lit(FIRST_USER_ID)} + 1 + i % ${sql.lit(PEOPLE_COUNT)}, ${sql.lit(FIRST_USER_ID)} + 1 + i % ${sql.lit(PEOPLE_COUNT)}, i, i, i
    from ${people}`);
  await run(sql`insert into webhooks (id, url, events, secret)
    select ${user}, 'https://hooks.example/' || i, '[]', '' from ${series(10)}`);
  await run(sql`insert into webhook_calls (id, webhook_id, body, created_at, due_at)
    select 'call ' || i, ${sql.lit(FIRST_USER_ID)} + 1 + i % 10, '{}', ${recent}, ${sql.lit(FUTURE_TIME)} from ${people}`);
}
