/** Devices and their push services. */
import type { Generated } from 'kysely';
import type { DeviceType } from '../../../src/shared/contract';

export interface DevicesTable {
  id: Generated<number>;
  user_id: number;
  /** An FCM token, or a Web Push subscription as JSON text. */
  token: string;
  /** SHA-256 of the token, base64url; unique. Tokens are too long for an index. */
  token_hash: string;
  type: DeviceType;
  user_agent: string;
  created_at: number;
  last_seen_at: number;
  service_id: Generated<number>;
  /** Its key derives from this. */
  key_nonce: Generated<string>;
  /** SHA-256 of the page's token, which the worker may have replaced. */
  registered_hash: Generated<string>;
  /** Generated at the app's first start; null if not reported. */
  installation_id: string | null;
  installed: 0 | 1 | null;
  model: string | null;
  /** The session that last registered it (`sid` of the token), which ends with it. */
  session_id: string | null;
}

/** `reachable`: it answers again but has accepted no push since. */
export type PushServiceState = 'accepting' | 'refusing' | 'unreachable' | 'reachable';

export interface PushServicesTable {
  id: Generated<number>;
  /** The origin of a Web Push endpoint, or `fcm`; unique. */
  origin: string;
  /** When it last accepted a push, by the hour; null if it is not proven. */
  proven_at: number | null;
  /** What it last did with pushes (`push-outcomes.ts`); null if unknown. */
  state: PushServiceState | null;
  state_since: number | null;
  /** These times are exact to some seconds. */
  accepted_at: number | null;
  refused_at: number | null;
  /** A short code, such as `status-503`. */
  refused_reason: string | null;
  unreachable_at: number | null;
  /** A short code, such as `timeout`. */
  unreachable_reason: string | null;
}
