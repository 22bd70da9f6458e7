import { useEffect, useState } from 'react';
import { errorMessage } from '../../api/error';
import type { OwnDevice } from '../../shared/contract';
import {
  followOwnDevices,
  loadOwnDevices,
  ownDevices,
  ownDevicesError,
  DEVICE_SIGN_OUT_FAILED,
  signOutDevice,
  thisDevice,
} from '../../state/device/own-devices';
import { serverNow } from '../../state/clock';
import { Day } from '../../ui/values/Day';
import { DialogForm } from '../../ui/forms/DialogForm';
import { agoText } from '../../ui/values/duration';
import { notify } from '../../ui/notices';
import { Empty, Failure, Skeleton, useKeepFocus } from '../../ui/page';
import { DESKTOP_COMPUTER, phoneMakeText, UNKNOWN_PHONE } from '../../state/reach/phone-makes';
import { deviceWord } from './device-word';

/** The person's devices, with signing out one that is lost or given away. */
export function OwnDevices() {
  const [deviceToSignOut, setDeviceToSignOut] = useState<OwnDevice>();
  useEffect(followOwnDevices, []);
  const devices = ownDevices.value;
  const error = ownDevicesError.value;
  useKeepFocus(devices?.length, error, deviceToSignOut);
  return (
    <section aria-labelledby="devices">
      <h2 id="devices">Your devices{devices && ` (${devices.length})`}</h2>
      {error && <Failure retry={() => void loadOwnDevices()}>{error}</Failure>}
      {!devices && !error && <Skeleton />}
      {devices?.length === 0 && <Empty>None of your devices receive notifications.</Empty>}
      {devices && devices.length > 0 && (
        <ul className="panel rows">
          {sortByLastSeen(devices).map((device) => (
            <OwnDeviceRow
              key={device.id}
              device={device}
              onSignOut={() => setDeviceToSignOut(device)}
            />
          ))}
        </ul>
      )}
      {deviceToSignOut && (
        <SignOut device={deviceToSignOut} onClose={() => setDeviceToSignOut(undefined)} />
      )}
    </section>
  );
}

/** Puts this device first, then the devices that were last seen most recently. */
function sortByLastSeen(devices: readonly OwnDevice[]): OwnDevice[] {
  const seenAt = ({ id, lastSeenAt }: OwnDevice) =>
    id === thisDevice.value?.id ? Number.POSITIVE_INFINITY : Date.parse(lastSeenAt) || 0;
  return [...devices].sort((a, b) => seenAt(b) - seenAt(a));
}

/** @useSignals */
function OwnDeviceRow({ device, onSignOut }: { device: OwnDevice; onSignOut: () => void }) {
  const isHere = device.id === thisDevice.value?.id;
  const { createdAt, deviceType, reach } = device;
  const word = deviceWord(deviceType);
  const parts = [getModel(device), reach?.browser, reach?.installed && 'installed'].filter(Boolean);
  return (
    <li>
      <div>
        <span>
          <b>{isHere ? `This ${word}` : getDeviceName(device)}</b>{' '}
          <span>
            <bdi>{parts.join(' · ')}</bdi>
            {!isHere && (
              <>
                {parts.length > 0 && ' · '}registered <Day iso={createdAt} />
              </>
            )}
          </span>
          <small>{isHere ? 'Active now' : `Last seen ${seenText(device)}`}</small>
        </span>
        {!isHere && (
          <button
            type="button"
            className="plain"
            aria-label={`Sign out ${getDeviceName(device)}, last seen ${seenText(device)}`}
            onClick={onSignOut}
          >
            Sign out
          </button>
        )}
      </div>
    </li>
  );
}

const DEVICE_NAMES = { android: 'Android phone', ios: 'iPhone or iPad', web: 'Computer' } as const;
/** Names the person's other devices. */
const getDeviceName = ({ deviceType }: OwnDevice): string => DEVICE_NAMES[deviceType] ?? 'Device';

const seenText = ({ lastSeenAt }: OwnDevice): string =>
  agoText(serverNow() - Date.parse(lastSeenAt));

/** `Samsung SM-A047F`, `SM-A047F`, or empty if the browser hides it. */
function getModel({ reach }: OwnDevice): string {
  if (!reach?.model) return '';
  const make = phoneMakeText(reach);
  const isNamed =
    make !== UNKNOWN_PHONE && make !== DESKTOP_COMPUTER && !reach.model.startsWith(make);
  return isNamed ? `${make} ${reach.model}` : reach.model;
}

/** Confirms first: only a person at that device can undo it. */
function SignOut({ device, onClose }: { device: OwnDevice; onClose: () => void }) {
  const name = getDeviceName(device);
  async function submit() {
    await signOutDevice(device.id);
    notify(`${name} signed out.`);
  }
  return (
    <DialogForm
      title={`Sign out ${name}`}
      action="Sign out"
      busyText="Signing out…"
      submit={submit}
      explain={(thrown) => errorMessage(thrown, DEVICE_SIGN_OUT_FAILED)}
      onClose={onClose}
      question={
        <>
          Last seen {seenText(device)}. The device will stop receiving notifications. The app
          removes your data from the device the next time it starts there.
        </>
      }
    />
  );
}
