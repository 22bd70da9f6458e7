/** What goes on behind the screens, once the first of them is there. */
import { renew } from './renewal';

/** Call once the person is known. */
export const begin = (): Promise<unknown> =>
  Promise.all([import('./receipts').then((receipts) => receipts.begin()), renew()]);
