/**
 * The tables for Kysely, the same on both engines. Times are milliseconds since 1970, booleans 0 or
 * 1, and a `…_key` column holds a case-folded copy.
 */
import type { Selectable } from 'kysely';
import type {
  EmailChangesTable,
  EndedSessionsTable,
  IdentitiesTable,
  InvitationsTable,
  KnownBrowsersTable,
  OneTimeTokensTable,
  PasskeyChallengesTable,
  PasskeysTable,
  QuietHoursTable,
  RecoveryCodesTable,
  TwoFactorTable,
  UsersTable,
} from './tables/accounts';
import type { AuditEntriesTable, AuditRepeatsTable } from './tables/audit';
import type { CheckInMessagesTable, CheckInSettingsTable, CheckInsTable } from './tables/check-ins';
import type {
  DeviceReachTable,
  DevicesTable,
  PushServicesTable,
  TestsTable,
} from './tables/devices';
import type { EscalationStepsTable, PoliciesTable, StepOutcomesTable } from './tables/escalation';
import type { HeartbeatsTable } from './tables/heartbeats';
import type {
  InsightMakesTable,
  InsightGroupMakesTable,
  InsightQuartersTable,
  InsightReachTable,
} from './tables/insights';
import type {
  MessagesTable,
  MessageTopicsTable,
  RecipientsTable,
  InboxesTable,
  TemplatesTable,
} from './tables/messages';
import type { SettingsTable, RateLimitsTable, RequestsTable, JobsTable } from './tables/operation';
import type { DeliveriesTable } from './tables/outbox';
import type {
  TeamMembersTable,
  TeamTopicsTable,
  TeamsTable,
  TopicSenderTeamsTable,
  TopicSendersTable,
} from './tables/teams';
import type {
  AccountPreferencesTable,
  AlertsTable,
  DevicePreferencesTable,
  SubscriptionsTable,
  TopicKeysTable,
  TopicsTable,
} from './tables/topics';
import type { WebhookCallsTable, WebhooksTable } from './tables/webhooks';

export type { TokenPurpose } from './tables/accounts';
export type { PushServiceState } from './tables/devices';
export type { PushState } from './tables/messages';
export type { DeliveryState } from './tables/outbox';

export interface Tables {
  users: UsersTable;
  one_time_tokens: OneTimeTokensTable;
  invitations: InvitationsTable;
  known_clients: KnownBrowsersTable;
  email_changes: EmailChangesTable;
  topics: TopicsTable;
  subscriptions: SubscriptionsTable;
  teams: TeamsTable;
  team_members: TeamMembersTable;
  team_topics: TeamTopicsTable;
  topic_senders: TopicSendersTable;
  topic_sender_teams: TopicSenderTeamsTable;
  account_preferences: AccountPreferencesTable;
  devices: DevicesTable;
  push_services: PushServicesTable;
  device_preferences: DevicePreferencesTable;
  messages: MessagesTable;
  message_topics: MessageTopicsTable;
  recipients: RecipientsTable;
  inboxes: InboxesTable;
  templates: TemplatesTable;
  deliveries: DeliveriesTable;
  settings: SettingsTable;
  rate_limits: RateLimitsTable;
  requests: RequestsTable;
  jobs: JobsTable;
  tests: TestsTable;
  device_reach: DeviceReachTable;
  ended_sessions: EndedSessionsTable;
  policies: PoliciesTable;
  escalation_steps: EscalationStepsTable;
  step_outcomes: StepOutcomesTable;
  quiet_hours: QuietHoursTable;
  webhooks: WebhooksTable;
  webhook_calls: WebhookCallsTable;
  topic_keys: TopicKeysTable;
  alerts: AlertsTable;
  audit_entries: AuditEntriesTable;
  audit_repeats: AuditRepeatsTable;
  identities: IdentitiesTable;
  second_factors: TwoFactorTable;
  recovery_codes: RecoveryCodesTable;
  passkeys: PasskeysTable;
  passkey_challenges: PasskeyChallengesTable;
  insight_quarters: InsightQuartersTable;
  insight_reach: InsightReachTable;
  insight_makes: InsightMakesTable;
  insight_part_makes: InsightGroupMakesTable;
  check_ins: CheckInsTable;
  check_in_messages: CheckInMessagesTable;
  check_in_settings: CheckInSettingsTable;
  heartbeats: HeartbeatsTable;
}

export type UserRow = Selectable<UsersTable>;
export type PasskeyRow = Selectable<PasskeysTable>;
export type TopicRow = Selectable<TopicsTable>;
export type TeamRow = Selectable<TeamsTable>;
export type DeviceRow = Selectable<DevicesTable>;
export type MessageRow = Selectable<MessagesTable>;
export type RecipientRow = Selectable<RecipientsTable>;
export type TemplateRow = Selectable<TemplatesTable>;
export type DeliveryRow = Selectable<DeliveriesTable>;
export type TestRow = Selectable<TestsTable>;
export type DeviceReachRow = Selectable<DeviceReachTable>;
export type PolicyRow = Selectable<PoliciesTable>;
export type EscalationStepRow = Selectable<EscalationStepsTable>;
export type WebhookRow = Selectable<WebhooksTable>;
export type JobRow = Selectable<JobsTable>;
export type WebhookCallRow = Selectable<WebhookCallsTable>;
export type TopicKeyRow = Selectable<TopicKeysTable>;
export type CheckInRow = Selectable<CheckInsTable>;
export type HeartbeatRow = Selectable<HeartbeatsTable>;
