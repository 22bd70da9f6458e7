/** The worker of builds with Firebase: ours, and the messaging SDK's part that keeps its token. */
import './worker'; // first: its listeners must come before the SDK's
import { initializeApp } from 'firebase/app';
import { getMessaging } from 'firebase/messaging/sw';

getMessaging(initializeApp(JSON.parse(FIREBASE_CONFIG)));
