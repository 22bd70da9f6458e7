/** Passkeys, and the challenges of those being added or used. */
import { sql } from 'kysely';
import type { Kysely } from 'kysely';

export async function createPasskeys(db: Kysely<unknown>): Promise<void> {
  for (const statement of STATEMENTS) await sql.raw(statement).execute(db);
}

/** These statements run on both engines. */
const STATEMENTS = [
  `create table passkeys (
    id text not null primary key,
    user_id bigint not null references users(id) on delete cascade,
    credential_id text not null,
    public_key text not null,
    sign_count bigint not null,
    name text not null,
    created_at bigint not null,
    last_used_at bigint
  )`,
  `create unique index passkeys_credential on passkeys(credential_id)`,
  `create index passkeys_user on passkeys(user_id)`,
  `create table passkey_challenges (
    hash text not null primary key,
    user_id bigint references users(id) on delete cascade,
    ends_at bigint not null
  )`,
  `create index passkey_challenges_user on passkey_challenges(user_id)`,
  `create index passkey_challenges_ends on passkey_challenges(ends_at)`,
];
