/**
 * How pushes reach this browser. Two transports, one of which is compiled in; its code is loaded
 * when push is on.
 */
import type { PushTransport } from './push-transport';

export const pushTransport = (): Promise<PushTransport> =>
  FCM
    ? import('./firebase').then((module) => module.firebase)
    : import('./web-push').then((module) => module.webPush);
