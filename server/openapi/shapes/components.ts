/** The shapes that have a name in the document. */
import { failure } from './common';
import { device, deviceTest, ownDevice, reach, reachDevice, registeredDevice } from './devices';
import { hooked, published, topicKey } from './keys';
import { accountExport, ownAccount } from './own-account';

export const components = {
  OwnAccount: ownAccount,
  AccountExport: accountExport,
  Device: device,
  RegisteredDevice: registeredDevice,
  OwnDevice: ownDevice,
  Test: deviceTest,
  ReachDevice: reachDevice,
  Reach: reach,
  TopicKey: topicKey,
  Published: published,
  Hooked: hooked,
  Error: failure,
};
