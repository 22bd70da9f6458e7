/** Tests of devices, and how the pushes to each went. */
import type { Generated } from 'kysely';
import type { TestFailureReason, TestStage } from '../../../src/shared/contract';

/** How the pushes to a device went. No row: nothing was ever accepted or refused for it. */
export interface DeviceReachTable {
  device_id: number;
  /** Whose device it is: the database fills it in. Nobody asks for it, but where tables are distributed. */
  user_id: Generated<number | null>;
  /** The last accepted push, and the third last. */
  accepted_at: number | null;
  third_accepted_at: number | null;
  displayed_at: number | null;
  /** When the newest of the displayed pushes was accepted. */
  displayed_accepted_at: number | null;
  /** The last refusal, if nothing was accepted since, and how many in a row. */
  refused_at: number | null;
  refused_reason: string | null;
  refusals: Generated<number>;
  /** Milliseconds from accepted to displayed: the median of the last five. */
  median_delay: number | null;
  /**
   * The last pushes, newest first, as JSON: `[message, accepted at, displayed at][]`. The times
   * above follow from these few; a row for each push would be a second outbox.
   */
  recent: Generated<string>;
}

/** Tests of devices: each belongs to a message of the kind `test`, and to one push of that. */
export interface TestsTable {
  /** A UUID: the device reports it as a message's id. */
  id: string;
  message_id: string;
  /** Whose device it is. */
  user_id: number;
  /** Stays after the device is gone, so no foreign key. Unique together with `message_id`. */
  device_id: number;
  /** 1 if an administrator asked for it. */
  by_admin: Generated<0 | 1>;
  created_at: number;
  /** What the person was told, and when it really leaves. */
  announced_at: number;
  send_at: number;
  accepted_at: number | null;
  received_at: number | null;
  displayed_at: number | null;
  heard_at: number | null;
  failure_stage: TestStage | null;
  failure_reason: TestFailureReason | null;
}
