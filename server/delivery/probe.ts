/** A question to a push service that could not be reached: any answer says that it can be again. */
import type { GoogleToken } from './fcm/google-token';
import type { HttpsClient } from './https/client';
import type { ServiceProbe } from './transport';

const FCM = 'https://fcm.googleapis.com';

/** @param accessToken with which FCM lets us in: without Google's answer no push leaves either */
export function createProbe(client: HttpsClient, accessToken?: GoogleToken): ServiceProbe {
  return async (origin) => {
    if (origin === 'fcm') {
      const access = await accessToken?.get();
      if (access?.is === 'retry' && access.isUnreachable) return access.reason;
    }
    const answer = await client.post(new URL(origin === 'fcm' ? FCM : origin), {}, Buffer.alloc(0));
    if (answer.is === 'answered') return undefined;
    return answer.is === 'withdrawn' ? 'withdrawn' : answer.reason;
  };
}
