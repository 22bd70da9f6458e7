/** The shapes that have a name in the document. */
import { failure } from './common';
import { hooked, published, topicKey } from './keys';
import { accountExport, ownAccount } from './own-account';

export const components = {
  OwnAccount: ownAccount,
  AccountExport: accountExport,
  TopicKey: topicKey,
  Published: published,
  Hooked: hooked,
  Error: failure,
};
