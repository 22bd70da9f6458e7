/** Constants that build.mjs writes into the code. */

/** The backend's host; empty for the app's own origin. */
declare const API_HOST: string;
/** Package version and a hash of the build's files. */
declare const VERSION: string;
/** Whether Firebase is configured. The build leaves the other push transport out. */
declare const FCM: boolean;
/** Firebase's configuration as JSON; empty for Web Push with the server's own key. */
declare const FIREBASE_CONFIG: string;
/** The Firebase project's Web Push certificate (base64url). */
declare const FIREBASE_VAPID_KEY: string;
/** Whether FCM registers by token, for a server that doesn't know installation IDs. */
declare const FCM_TOKENS: boolean;
/** The language of the texts. English is the source. */
declare const LANGUAGE: string;
/** The page's language for `Intl`; English takes the browser's region. */
declare const LOCALE: string;
/** URL of the style sheet for everything beyond the login form that needs no right. */
declare const STYLES: string;
/** URL of the style sheet for all screens. */
declare const ALL_STYLES: string;
/** URL of the icons. */
declare const ICONS: string;
/** The company whose OpenID Connect provider signs people in, or empty. */
declare const COMPANY: string;
/** Whether people may sign in with a passkey instead of their password. */
declare const PASSKEYS: boolean;
/** Whether administrators may need a code from an authenticator app. */
declare const TWO_FACTOR: boolean;
