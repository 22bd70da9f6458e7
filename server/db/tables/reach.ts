/** Tests of devices, and their reach. */
import type { Generated } from 'kysely';
import type { TestFailureReason, TestStage } from '../../../src/shared/contract';

/** How pushes to a device went. No row: none was ever accepted or refused. */
export interface DeviceReachTable {
  device_id: number;
  /** Its person, set by the database, for distributed tables. */
  user_id: Generated<number | null>;
  /** The last and the third-last accepted push. */
  accepted_at: number | null;
  third_accepted_at: number | null;
  displayed_at: number | null;
  /** When the newest displayed push was accepted. */
  displayed_accepted_at: number | null;
  /** The last refusal since the last accept, and refusals in a row. */
  refused_at: number | null;
  refused_reason: string | null;
  refusals: Generated<number>;
  /** Median milliseconds from accepted to displayed of the last five. */
  median_delay: number | null;
  /** Recent pushes, newest first, as JSON (`ReachPush`). The times above derive from them. */
  recent: Generated<string>;
}

/** Each test is one push of a message of the kind `test`. */
export interface TestsTable {
  /** A UUID, which the device reports as a message's id. */
  id: string;
  message_id: string;
  user_id: number;
  /** No foreign key, as it outlives the device. Unique with `message_id`. */
  device_id: number;
  /** 1 if an administrator requested it. */
  by_admin: Generated<0 | 1>;
  created_at: number;
  /** The announced and the real time of sending. */
  announced_at: number;
  send_at: number;
  accepted_at: number | null;
  received_at: number | null;
  displayed_at: number | null;
  heard_at: number | null;
  failure_stage: TestStage | null;
  failure_reason: TestFailureReason | null;
}
