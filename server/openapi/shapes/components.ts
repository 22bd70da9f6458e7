/** The shapes that have a name in the document. */
import { failure } from './common';
import { accountExport, ownAccount } from './own-account';

export const components = {
  OwnAccount: ownAccount,
  AccountExport: accountExport,
  Error: failure,
};
