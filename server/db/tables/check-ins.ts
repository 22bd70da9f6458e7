/** Check-ins of people who work alone. */
import type { Generated } from 'kysely';

/** `check-ins/check-in-rules.ts` decides what changes. Times are milliseconds since 1970. */
export interface CheckInsTable {
  id: Generated<number>;
  /** A person has at most one check-in that has not ended. */
  user_id: number;
  minutes: number;
  /** The setting at the time the check-in started. */
  grace_minutes: number;
  note: string;
  /** An IANA name, for the times in the alarm. */
  time_zone: string;
  state: Generated<'running' | 'missed' | 'help' | 'ended'>;
  started_at: number;
  /** When the time last began: at the start, or at the last answer. */
  begun_at: number;
  ask_at: number;
  due_at: number;
  alarm_at: number;
  /** How often the person was asked since then. */
  asked: Generated<number>;
  /** How often the person answered that they are OK. */
  answers: Generated<number>;
  /** When the person last pressed “I’m OK”, by their phone's time. */
  answered_at: number | null;
  /** When that answer arrived, if much later; null if it was not late. */
  received_at: number | null;
  /** When the person last asked for help. */
  help_at: number | null;
  /** When that call arrived, if much later; null if it was not late. */
  help_received_at: number | null;
  /** What the job has to do at once: alert others, end the alarm, or withdraw reminders. */
  owes: 'help' | 'all-clear' | 'withdrawal' | null;
  /** The newest alarm that was sent. */
  alarm_id: string | null;
  alarmed_at: number | null;
  ended_at: number | null;
  /** Why it ended, if not by its person. */
  end_reason: 'suspended' | null;
}

/** A check-in's messages. */
export interface CheckInMessagesTable {
  message_id: string;
  check_in_id: number;
  kind: 'reminder' | 'alarm' | 'all-clear';
  /** A withdrawn message is closed, and so is every all-clear. */
  state: Generated<'open' | 'closed'>;
}

/** The table has one row, or none until the settings are saved for the first time. */
export interface CheckInSettingsTable {
  id: number;
  enabled: 0 | 1;
  grace_minutes: number;
  topic_id: number | null;
  policy_id: number | null;
}
