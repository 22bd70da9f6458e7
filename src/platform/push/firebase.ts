import { getApps, initializeApp, type FirebaseOptions } from 'firebase/app';
import { getMessaging, getToken, isSupported } from 'firebase/messaging';

/** Firebase Cloud Messaging. The SDK stores the token and renews it after 7 days. */
export const firebase = {
  async getToken(registration: ServiceWorkerRegistration) {
    if (!FIREBASE_CONFIG || !(await isSupported()))
      throw new Error("This browser doesn't support the API's required to use the Firebase SDK.");
    const messaging = getMessaging(
      getApps()[0] ?? initializeApp(JSON.parse(FIREBASE_CONFIG) as FirebaseOptions),
    );
    return getToken(messaging, {
      serviceWorkerRegistration: registration,
      ...(FIREBASE_VAPID_KEY && { vapidKey: FIREBASE_VAPID_KEY }),
    });
  },
};
