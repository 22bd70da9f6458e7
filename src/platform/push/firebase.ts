import { getApps, initializeApp, type FirebaseApp, type FirebaseOptions } from 'firebase/app';
import {
  deleteInstallations,
  getInstallations,
  getToken as getInstallationToken,
} from 'firebase/installations';
import { getMessaging, getToken, isSupported, onRegistered, register } from 'firebase/messaging';
import type { InstallationToken } from '../../shared/fcm-registration';
import { readStored, writeStored } from '../storage/storage';

/** The push endpoint that the current installation ID belongs to. */
const ENDPOINT_STORAGE_KEY = 'fcm_endpoint';

/** Firebase Cloud Messaging. The SDK stores the registration and renews it after 7 days. */
export const firebase = {
  async getToken(registration: ServiceWorkerRegistration): Promise<string> {
    if (!FIREBASE_CONFIG || !(await isSupported()))
      throw new Error('This browser doesn’t support Firebase Cloud Messaging.');
    const app = getApps()[0] ?? initializeApp(JSON.parse(FIREBASE_CONFIG) as FirebaseOptions);
    const options = {
      serviceWorkerRegistration: registration,
      ...(FIREBASE_VAPID_KEY && { vapidKey: FIREBASE_VAPID_KEY }),
    };
    const registeredEndpoint = readStored(ENDPOINT_STORAGE_KEY);
    if (FCM_TOKENS) {
      if (registeredEndpoint !== null) await resetRegistration(app, registration);
      return getToken(getMessaging(app), options);
    }
    // The SDK would notice a changed subscription only after a week, and keep a token of an older build.
    const endpoint = await readEndpoint(registration);
    if (endpoint === null || endpoint !== registeredEndpoint)
      await resetRegistration(app, registration);
    try {
      return `fid:${await registerInstallation(app, options)}` satisfies InstallationToken;
    } finally {
      if (readStored(ENDPOINT_STORAGE_KEY) === null)
        writeStored(ENDPOINT_STORAGE_KEY, await readEndpoint(registration));
    }
  },
};

const readEndpoint = async ({ pushManager }: ServiceWorkerRegistration): Promise<string | null> =>
  (await pushManager.getSubscription())?.endpoint ?? null;

async function registerInstallation(
  app: FirebaseApp,
  options: Parameters<typeof register>[1],
): Promise<string> {
  const messaging = getMessaging(app);
  let id = '';
  onRegistered(messaging, (token) => {
    id = token;
  });
  try {
    await register(messaging, options);
  } catch (error) {
    // The specification's sentence for an answer without a registration.
    if (error instanceof Error && error.message.includes('CreateRegistration succeeded but'))
      throw new Error('FCM returned no token when subscribing the user to push.', { cause: error });
    throw error;
  }
  return id;
}

/**
 * Deletes the installation, with every token that FCM gave it, so that this browser is never
 * registered twice.
 */
async function resetRegistration(app: FirebaseApp, { pushManager }: ServiceWorkerRegistration) {
  const installations = getInstallations(app);
  try {
    await deleteInstallations(installations);
  } catch (error) {
    await getInstallationToken(installations, true); // the SDK drops an ID that Google has dropped
    throw error;
  }
  await (await pushManager.getSubscription())?.unsubscribe();
  writeStored(ENDPOINT_STORAGE_KEY, null);
}
