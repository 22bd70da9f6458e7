/**
 * Access that ended after a backup stays ended when the backup is restored: deleted and suspended
 * people, lost roles and rights to send, old passwords, second factors, passkeys, links, devices,
 * keys, webhooks, check-ins and heartbeats. On both engines, `note` runs before the restore,
 * `LISTS` and `APPLY` after it.
 */

/** The tables that decide who may act, with the columns to compare or carry over. */
const ACCESS_COLUMNS = {
  users: [
    'id',
    'role',
    'status',
    'password_hash',
    'email',
    'email_key',
    'email_verified_at',
    'session_version',
    'suspended_at',
    'is_auditor',
  ],
  topic_senders: ['topic_id', 'user_id'],
  topic_sender_teams: ['topic_id', 'team_id'],
  team_members: ['team_id', 'user_id'],
  devices: ['id'],
  topic_keys: ['hash'],
  webhooks: ['id'],
  second_factors: ['user_id', 'secret', 'last_step', 'created_at'],
  recovery_codes: ['user_id', 'hash', 'used_at'],
  passkeys: [
    'id',
    'user_id',
    'credential_id',
    'public_key',
    'sign_count',
    'name',
    'created_at',
    'last_used_at',
  ],
  identities: ['issuer', 'subject', 'user_id', 'linked_at'],
  known_clients: ['user_id', 'token_hash', 'last_seen_at'],
  ended_sessions: ['session_id', 'user_id', 'ends_at'],
  one_time_tokens: ['user_id', 'purpose', 'nonce', 'token_hash', 'created_at', 'expires_at'],
  check_ins: [
    'id',
    'user_id',
    'minutes',
    'grace_minutes',
    'note',
    'time_zone',
    'state',
    'started_at',
    'begun_at',
    'ask_at',
    'due_at',
    'alarm_at',
    'asked',
    'answers',
    'answered_at',
    'received_at',
    'help_at',
    'help_received_at',
    'owes',
    'alarm_id',
    'alarmed_at',
    'ended_at',
    'end_reason',
  ],
  check_in_messages: ['message_id', 'check_in_id', 'kind', 'state'],
  heartbeats: [
    'id',
    'topic_id',
    'name',
    'every_seconds',
    'grace_seconds',
    'created_at',
    'last_at',
    'watched_from',
    'paused_at',
    'silent_at',
    'alert_id',
  ],
} as const;

export type AccessTable = keyof typeof ACCESS_COLUMNS;
export const ACCESS_TABLES = Object.keys(ACCESS_COLUMNS) as AccessTable[];

export interface EndedAccess {
  /** Each kind in the singular and the plural. Empty kinds are left out. */
  kinds: { kind: readonly [string, string]; names: string[] }[];
  /** Every administrator of the backup was deleted or lost the role. */
  leavesNoAdministrator: boolean;
}
export const NOTHING_ENDED: EndedAccess = { kinds: [], leavesNoAdministrator: false };

export const snapshotName = (table: AccessTable): string => `now_${table}`;
export const accessColumns = (table: AccessTable): string => ACCESS_COLUMNS[table].join();

/**
 * Creates a temporary table for each.
 * @param suffix such as `with no data`
 */
export const snapshotAccess = (suffix = ''): string[] => [
  ...ACCESS_TABLES.map(
    (table) =>
      `create temporary table ${snapshotName(table)} as select ${accessColumns(table)} from ${table} ${suffix}`,
  ),
  // Rows are looked up per person: without an index, 50,000 people block writes for minutes.
  'create index now_users_id on now_users (id)',
  'create index now_second_factors_user on now_second_factors (user_id)',
  'create index now_team_members_key on now_team_members (team_id, user_id)',
];

/** Each person keeps the current rows of these tables; the backup's rows go. */
const PERSON_TABLES = [
  'second_factors',
  'recovery_codes',
  'passkeys',
  'identities',
  'known_clients',
  'ended_sessions',
  'check_ins',
] as const satisfies readonly AccessTable[];

const missingRows = (
  table: 'users' | 'devices' | 'webhooks' | 'topic_keys',
  key: 'id' | 'hash',
): string => `${table}.${key} not in (select ${key} from ${snapshotName(table)})`;
/** Rows of the backup that were removed since. */
const REMOVED = {
  topic_senders: `not exists (select 1 from now_topic_senders n
    where n.topic_id = topic_senders.topic_id and n.user_id = topic_senders.user_id)`,
  topic_sender_teams: `not exists (select 1 from now_topic_sender_teams n
    where n.topic_id = topic_sender_teams.topic_id and n.team_id = topic_sender_teams.team_id)`,
  // Other teams give no access.
  team_members: `team_id in (select team_id from topic_sender_teams)
    and not exists (select 1 from now_team_members n
    where n.team_id = team_members.team_id and n.user_id = team_members.user_id)`,
};
const IS_STILL_THERE = 'users.id in (select id from now_users)';

const carriedWhere = (table: AccessTable, condition: string): string =>
  `insert into ${table} (${accessColumns(table)}) select ${accessColumns(table)} from ${snapshotName(table)} where ${condition}`;
const carriedRows = (table: AccessTable, condition = ''): string =>
  carriedWhere(table, `user_id in (select id from users) ${condition}`);

/** One statement per kind of ended access. It returns names, sorted for people. */
export const ENDED_ACCESS_LISTS: readonly { kind: readonly [string, string]; statement: string }[] =
  [
    {
      kind: ['deleted person', 'deleted people'],
      statement: `select username as name from users where ${missingRows('users', 'id')} order by username_key`,
    },
    {
      kind: ['person who lost the administrator role', 'people who lost the administrator role'],
      statement: `select username as name from users join now_users n using (id)
    where users.role = 'ADMIN' and n.role <> 'ADMIN' order by username_key`,
    },
    {
      kind: ['person who lost auditor access', 'people who lost auditor access'],
      statement: `select username as name from users join now_users n using (id)
    where users.is_auditor = 1 and n.is_auditor = 0 order by username_key`,
    },
    {
      kind: [
        'person who may no longer send to a topic',
        'people who may no longer send to a topic',
      ],
      statement: `select username as name from users
    where id in (select user_id from topic_senders where ${REMOVED.topic_senders})
    and ${IS_STILL_THERE} order by username_key`,
    },
    {
      kind: ['team that may no longer send to a topic', 'teams that may no longer send to a topic'],
      statement: `select name from teams
    where id in (select team_id from topic_sender_teams where ${REMOVED.topic_sender_teams}) order by name_key`,
    },
    {
      kind: [
        'person who left a team that may send to a topic',
        'people who left teams that may send to a topic',
      ],
      statement: `select username as name from users
    where id in (select user_id from team_members where ${REMOVED.team_members})
    and ${IS_STILL_THERE} order by username_key`,
    },
    {
      kind: ['suspended person', 'suspended people'],
      statement: `select username as name from users join now_users n using (id)
    where users.suspended_at is null and n.suspended_at is not null order by username_key`,
    },
    {
      kind: ['changed or removed password', 'changed or removed passwords'],
      statement: `select username as name from users join now_users n using (id)
    where users.password_hash is not null and n.password_hash is distinct from users.password_hash order by username_key`,
    },
    {
      kind: ['changed or removed email address', 'changed or removed email addresses'],
      statement: `select username as name from users join now_users n using (id)
    where users.email_key is not null and n.email_key is distinct from users.email_key order by username_key`,
    },
    {
      kind: ['changed or removed authenticator app', 'changed or removed authenticator apps'],
      statement: `select username as name from users join second_factors s on s.user_id = users.id
    where ${IS_STILL_THERE}
    and not exists (select 1 from now_second_factors n where n.user_id = users.id and n.secret = s.secret) order by username_key`,
    },
    {
      kind: ['removed passkey', 'removed passkeys'],
      statement: `select username as name from users join passkeys p on p.user_id = users.id
    where ${IS_STILL_THERE} and p.id not in (select id from now_passkeys) order by username_key`,
    },
    {
      kind: [
        'used, replaced or expired registration link',
        'used, replaced or expired registration links',
      ],
      statement: `select username as name from users join one_time_tokens t on t.user_id = users.id
    where t.purpose = 'registration' and t.token_hash not in (select token_hash from now_one_time_tokens)
    and ${IS_STILL_THERE} order by username_key`,
    },
    {
      kind: ['signed-out device', 'signed-out devices'],
      statement: `select username as name from devices join users on users.id = devices.user_id
    where ${missingRows('devices', 'id')} and ${IS_STILL_THERE} order by username_key`,
    },
    {
      kind: ['revoked topic key', 'revoked topic keys'],
      statement: `select name from topic_keys where ${missingRows('topic_keys', 'hash')} order by name`,
    },
    {
      kind: ['deleted webhook', 'deleted webhooks'],
      statement: `select url as name from webhooks where ${missingRows('webhooks', 'id')} order by url`,
    },
  ];

/** Finds an administrator who remains one after `APPLY`. */
export const ADMINISTRATORS_LEFT_SQL = `select users.id from users join now_users n using (id)
  where users.role = 'ADMIN' and n.role = 'ADMIN' and n.status = 'ACTIVE'
  and users.suspended_at is null and n.suspended_at is null limit 1`;

/** Returns rows of `DeletedPerson`: what still names these people must be removed again. */
export const DELETED_PEOPLE = `select id, username, email from users where ${missingRows('users', 'id')}`;

/**
 * Roles gained since the backup are removed, and lost roles stay lost. Emails are emptied first,
 * because two people may have swapped their emails.
 */
export const APPLY_ENDED_ACCESS: readonly string[] = [
  `delete from users where ${missingRows('users', 'id')}`,
  `update users set role = (select role from now_users n where n.id = users.id)
   where role = 'ADMIN' and exists (select 1 from now_users n where n.id = users.id and n.role <> 'ADMIN')`,
  `update users set email = null, email_key = null, email_verified_at = null`,
  `update users set (email, email_key, email_verified_at) =
     (select email, email_key, email_verified_at from now_users n where n.id = users.id)`,
  `update users set (status, password_hash) = (select status, password_hash from now_users n where n.id = users.id)
   where exists (select 1 from now_users n where n.id = users.id and n.status = 'ACTIVE')`,
  `update users set suspended_at = (select suspended_at from now_users n where n.id = users.id)
   where suspended_at is null and exists (select 1 from now_users n where n.id = users.id and n.suspended_at is not null)`,
  `update users set is_auditor = 0
   where is_auditor = 1 and exists (select 1 from now_users n where n.id = users.id and n.is_auditor = 0)`,
  `delete from topic_senders where ${REMOVED.topic_senders}`,
  `delete from topic_sender_teams where ${REMOVED.topic_sender_teams}`,
  `delete from team_members where ${REMOVED.team_members}`,
  // Subscriptions that only these teams gave.
  `delete from subscriptions where by_name = 0 and not exists (select 1 from team_members
   join team_topics on team_topics.team_id = team_members.team_id
   where team_members.user_id = subscriptions.user_id and team_topics.topic_id = subscriptions.topic_id)`,
  ...PERSON_TABLES.flatMap((table) => [`delete from ${table}`, carriedRows(table)]),
  // An alarm of the backup must not ring after its answer, and a newer one must not be lost.
  `delete from check_in_messages`,
  carriedWhere('check_in_messages', 'check_in_id in (select id from check_ins)'),
  `delete from jobs where kind = 'check-in'`,
  `insert into jobs (kind, subject, created_at, due_at) select 'check-in', cast(id as text), started_at, started_at
   from check_ins where ended_at is null or owes is not null`,
  // A heartbeat of the backup would be silent, and one that was deleted would alert.
  `delete from heartbeats`,
  carriedWhere('heartbeats', 'topic_id in (select id from topics)'),
  `delete from jobs where kind = 'heartbeat'`,
  `insert into jobs (kind, subject, created_at, due_at) select 'heartbeat', cast(id as text), watched_from, watched_from
   from heartbeats where silent_at is null and paused_at is null`,
  `delete from one_time_tokens`,
  carriedRows('one_time_tokens', `and purpose = 'registration'`),
  // A restored device may be a stolen phone.
  `delete from devices where ${missingRows('devices', 'id')}`,
  `delete from topic_keys where ${missingRows('topic_keys', 'hash')}`,
  `delete from webhooks where ${missingRows('webhooks', 'id')}`,
];

/**
 * Sessions, mailed links and pending mails end with every restore: some of them ended since the
 * backup and must not be valid again. A version above all known ones ends each session.
 */
export const REVOKE_SESSIONS_AND_LINKS: readonly string[] = [
  `update users set session_version = 1 + (select max(newest) from (
     select max(session_version) as newest from users union all select max(session_version) from now_users) versions)`,
  `delete from one_time_tokens where purpose <> 'registration'`,
  'delete from email_changes',
  'delete from passkey_challenges',
  `delete from jobs where kind like 'mail-%'`,
  `update invitations set mail = 'none' where mail = 'waiting'`,
];
