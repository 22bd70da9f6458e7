/** Constants that build.mjs writes into the code. */

/** Origin of the backend; empty means the app's own origin. */
declare const API_HOST: string;
/** Which build this is: package version and a hash of its files. */
declare const VERSION: string;
/**
 * Whether pushes come through FCM: whether there is a Firebase configuration. The other transport
 * is not even built.
 */
declare const FCM: boolean;
/**
 * The Firebase console's configuration as JSON, or empty for Web Push with the server's own key.
 */
declare const FIREBASE_CONFIG: string;
/** The Web Push certificate of the Firebase project (base64url). */
declare const FIREBASE_VAPID_KEY: string;
/** Address of the style sheet for everything beyond the login form. */
declare const STYLES: string;
/** The company by whose OpenID Connect provider people sign in, or empty. */
declare const COMPANY: string;
/** Whether administrators may be asked for a code of an authenticator app. */
declare const SECOND_FACTOR: boolean;
