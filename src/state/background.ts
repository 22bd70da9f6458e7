/** What goes on behind the screens, once the first of them is there. */
import { begin as beginReceipts } from './receipts';
import { renew } from './device/renewal';
import './session-end';

export { worker } from '../platform/worker-start';
// One file with what it brings along: the inbox fetches it by this name, too.
export { report, sendReceipts } from './receipts';

/** Call once the person is known. Never rejects. */
export const begin = (): Promise<unknown> => Promise.all([beginReceipts(), renew()]);
