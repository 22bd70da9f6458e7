/** The build includes one of two transports; it loads when push is on. */
import type { PushTransport } from './push-transport';

export const pushTransport = (): Promise<PushTransport> =>
  FCM
    ? import('./firebase').then((module) => module.firebase)
    : import('./web-push').then((module) => module.webPush);
