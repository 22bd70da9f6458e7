/** The worker of a build with a Firebase configuration: ours, and the messaging SDK's part for token changes. */
import './worker'; // first: its listeners must come before the SDK's
import { initializeApp } from 'firebase/app';
import { getMessaging } from 'firebase/messaging/sw';

if (FIREBASE_CONFIG) getMessaging(initializeApp(FIREBASE_CONFIG));
