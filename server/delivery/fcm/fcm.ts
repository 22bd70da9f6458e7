/** Firebase Cloud Messaging, HTTP v1: one data-only message per device. */
import { INSTALLATION_PREFIX } from '../../../src/shared/fcm-registration';
import { readRetryAfter } from '../../lib/backoff';
import type { GoogleToken } from './google-token';
import type { HttpsResponse } from '../https/response';
import type { HttpsClient } from '../https/client';
import {
  ttlSeconds,
  toUrgency,
  type PushOutcome,
  type OutgoingPush,
  type Transport,
} from '../transport';
import { createPayloadCutter } from '../payload';

/** Bytes of JSON, well below FCM's limit of 4,096 by its own count. */
const MAX_DATA_BYTES = 3072;
/** Google's minimum after 429 or 503 without a Retry-After. */
const MIN_RETRY_WAIT_MS = 60_000;

interface FcmSettings {
  client: HttpsClient;
  projectId: string;
  accessToken: GoogleToken;
  now: () => number;
  random: () => number;
}

export function createFcm({ client, projectId, accessToken, now, random }: FcmSettings): Transport {
  const url = new URL(
    `https://fcm.googleapis.com/v1/projects/${encodeURIComponent(projectId)}/messages:send`,
  );

  const cutToFit = createPayloadCutter(MAX_DATA_BYTES, JSON.stringify);

  return async (push) => {
    const access = await accessToken.get();
    if (access.kind !== 'token') return access;
    const headers = { Authorization: `Bearer ${access.token}`, 'Content-Type': 'application/json' };
    const response = await client.post(
      url,
      headers,
      Buffer.from(writeMessage({ ...push, data: cutToFit(push.data) }, now())),
      push.maySendNow,
    );
    const outcome = toPushOutcome(response, now(), random);
    if (outcome.kind === 'misconfigured') accessToken.forget(access.token);
    return outcome;
  };
}

function writeMessage(push: OutgoingPush, now: number): string {
  const urgency = toUrgency(push.data.priority);
  const headers = { TTL: String(ttlSeconds(push.expiresAt, now)), Urgency: urgency };
  return JSON.stringify({
    message: {
      ...readTarget(push.token),
      data: push.data,
      android: { priority: urgency },
      webpush: { headers },
    },
  });
}

const readTarget = (token: string): { fid: string } | { token: string } =>
  token.startsWith(INSTALLATION_PREFIX)
    ? { fid: token.slice(INSTALLATION_PREFIX.length) }
    : { token };

/** Error codes: https://firebase.google.com/docs/reference/fcm/rest/v1/ErrorCode */
function toPushOutcome(response: HttpsResponse, now: number, random: () => number): PushOutcome {
  if (response.kind === 'withdrawn') return response;
  if (response.kind === 'rejected')
    return { kind: 'misconfigured', reason: response.reason, scope: 'service' };
  if (response.kind === 'unreachable')
    return { kind: 'retry', reason: response.reason, isUnreachable: true };
  if (response.status === 200) return { kind: 'accepted' };

  const error = readError(response.body);
  const reason = error.code ?? `status-${response.status}`;
  if (error.code === 'UNREGISTERED') return { kind: 'gone', reason };
  // FCM replies the same to our mistakes, so the device is removed only if its token is named.
  if (error.code === 'INVALID_ARGUMENT')
    return { kind: error.namesToken ? 'gone' : 'failed', reason };
  // Another project's token, or a platform without credentials: other devices are unaffected.
  if (error.code === 'SENDER_ID_MISMATCH' || error.code === 'THIRD_PARTY_AUTH_ERROR') {
    return { kind: 'misconfigured', reason, scope: 'device' };
  }
  if (response.status === 401 || response.status === 403)
    return { kind: 'misconfigured', reason, scope: 'service' };
  if (response.status === 429 || response.status >= 500) {
    const retryAt =
      readRetryAfter(response.retryAfter, now) ?? now + MIN_RETRY_WAIT_MS * (1 + random());
    return {
      kind: 'retry',
      reason,
      after: retryAt,
      ...(response.status === 429 && { isBusy: true }),
    };
  }
  // A 404 other than UNREGISTERED means a wrong project, not a dead device.
  if (response.status === 404) return { kind: 'misconfigured', reason, scope: 'service' };
  return { kind: 'failed', reason };
}

interface FcmError {
  /** FCM's own code, else Google's general status. */
  code: string | undefined;
  namesToken: boolean;
}

interface ErrorDetail {
  errorCode?: string;
  fieldViolations?: { field?: string }[];
}

/** Reads `{ error: { status, details: [{ errorCode } | { fieldViolations }] } }`, if it is that. */
function readError(body: string): FcmError {
  try {
    const { error } = JSON.parse(body) as { error: { status?: string; details?: ErrorDetail[] } };
    const details = error.details ?? [];
    const code: unknown = details.find((detail) => detail.errorCode)?.errorCode ?? error.status;
    return {
      code: typeof code === 'string' && /^\w{1,64}$/.test(code) ? code : undefined,
      namesToken: details.some((detail) =>
        detail.fieldViolations?.some(
          ({ field }) => field === 'message.token' || field === 'message.fid',
        ),
      ),
    };
  } catch {
    return { code: undefined, namesToken: false };
  }
}
