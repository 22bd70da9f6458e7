/** Devices, and the push services in whose queues they are. */
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
  /** Its push service. */
  service_id: Generated<number>;
  /** What its key is made of. */
  key_nonce: Generated<string>;
  /** SHA-256 of the token that its page knows: its worker may have replaced that since. */
  registered_hash: Generated<string>;
  /** What the app there made up when it was first started; null if it did not say so. */
  installation_id: string | null;
  installed: 0 | 1 | null;
  model: string | null;
  /** Of the session that registered it last (`sid` of the login token): it ends with the device. Null in a demonstration. */
  session_id: string | null;
}

/** `reachable`: it answers again, and has not accepted a push since. */
export type PushServiceState = 'accepting' | 'refusing' | 'unreachable' | 'reachable';

export interface PushServicesTable {
  id: Generated<number>;
  /** The origin of a Web Push endpoint, or `fcm`; unique. */
  origin: string;
  /** When it last accepted a push, by the hour; null if it never did, or does so no longer. */
  proven_at: number | null;
  /** What it last did with pushes (`push-outcomes.ts`); null if nothing is known. */
  state: PushServiceState | null;
  state_since: number | null;
  /** Within some seconds, as are the others. */
  accepted_at: number | null;
  refused_at: number | null;
  /** A short code, such as `status-503`. */
  refused_reason: string | null;
  unreachable_at: number | null;
  /** A short code, such as `timeout`. */
  unreachable_reason: string | null;
}
