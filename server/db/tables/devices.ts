/** Devices, their push services, reach and tests. */
import type { Generated } from 'kysely';
import type { DeviceType, TestFailureReason, TestStage } from '../../../src/shared/contract';

export interface DevicesTable {
  id: Generated<number>;
  user_id: number;
  /** A Web Push subscription as JSON text, an FCM token, or `fid:` and a Firebase installation ID. */
  token: string;
  /** SHA-256 of the token, base64url; unique. Tokens are too long for an index. */
  token_hash: string;
  type: DeviceType;
  user_agent: string;
  created_at: number;
  last_seen_at: number;
  service_id: Generated<number>;
  /** The device's key derives from this value. */
  key_nonce: Generated<string>;
  /** SHA-256 of the page's token, which the worker may have replaced. */
  registered_hash: Generated<string>;
  /** The installation's id, generated at the app's first start; null if not reported. */
  installation_id: string | null;
  installed: 0 | 1 | null;
  model: string | null;
  /** The session that last registered the device (`sid` of the token). It ends with the device. */
  session_id: string | null;
}

/** `reachable`: it responds again but has accepted no push since. */
export type PushServiceState = 'accepting' | 'refusing' | 'unreachable' | 'reachable';

export interface PushServicesTable {
  id: Generated<number>;
  /** The origin of a Web Push endpoint, or `fcm`; unique. */
  origin: string;
  /** When the service last accepted a push, by the hour; null if the service is not proven. */
  proven_at: number | null;
  /** What the service last did with pushes (`push-outcomes.ts`); null if unknown. */
  state: PushServiceState | null;
  state_since: number | null;
  /** `accepted_at` and `refused_at` may be some seconds off. */
  accepted_at: number | null;
  refused_at: number | null;
  /** A short code, such as `status-503`. */
  refused_reason: string | null;
  unreachable_at: number | null;
  /** A short code, such as `timeout`. */
  unreachable_reason: string | null;
  /** The service's pushes are paced until this time; null if the service never limited us. */
  throttled_until: number | null;
  /** The time that paced pushes have used up (`push-pacing.ts`). */
  paced_to: number | null;
}

/** How pushes to a device went. No row: none was ever accepted or rejected. */
export interface DeviceReachTable {
  device_id: number;
  /** The device's person. The database sets this column for distributed tables. */
  user_id: Generated<number | null>;
  /** The last and the third-last accepted push. */
  accepted_at: number | null;
  third_accepted_at: number | null;
  displayed_at: number | null;
  /** When the newest displayed push was accepted. */
  displayed_accepted_at: number | null;
  /** The last rejection since the last accept, and rejections in a row. */
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
  /** The device, unique with `message_id`. It is no foreign key: the row outlives the device. */
  device_id: number;
  /** 1 if an administrator requested the test. */
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
