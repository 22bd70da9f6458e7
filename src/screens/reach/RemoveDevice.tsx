import { useState } from 'react';
import { errorMessage } from '../../api/error';
import type { ReachBoardPerson, ReachDevice } from '../../shared/contract';
import { DEVICE_REMOVE_FAILED, removeUserDevice } from '../../state/reach/reach-board';
import { DialogForm } from '../../ui/forms/DialogForm';
import { notify } from '../../ui/notices';
import { Select } from '../../ui/forms/Select';
import { phoneMakeText } from '../../state/reach/phone-makes';
import { nearTextInside } from './near-times';
import { decidingDevice } from './reach-texts';

/** Describes a device: `Samsung, Chrome, last seen yesterday`. */
const getDeviceName = (device: ReachDevice): string =>
  [phoneMakeText(device), device.browser, `last seen ${nearTextInside(device.lastSeenAt)}`]
    .filter(Boolean)
    .join(', ');

/** Confirms, and asks which device if there are several. */
export function RemoveDevice({
  person,
  onClose,
  onDone,
}: {
  person: ReachBoardPerson;
  onClose: () => void;
  /** Reloads the board. */
  onDone: () => void;
}) {
  const { devices, user } = person;
  const [device, setDevice] = useState(decidingDevice(person));
  async function submit() {
    try {
      if (device) await removeUserDevice(device.id);
    } finally {
      onDone(); // the device may have been gone already
    }
    notify('Device removed.');
  }
  return (
    <DialogForm
      title="Remove device"
      action="Remove device"
      busyText="Removing…"
      submit={submit}
      explain={(thrown) => errorMessage(thrown, DEVICE_REMOVE_FAILED)}
      onClose={onClose}
      question={
        <>
          Remove {devices.length === 1 ? 'the' : 'a'} device of “<bdi>{user.username}</bdi>”? It
          will be signed out and stop receiving notifications.
        </>
      }
    >
      {devices.length > 1 ? (
        <Select
          label="Device"
          name="device"
          options={devices.map(
            (reachDevice) => [String(reachDevice.id), getDeviceName(reachDevice)] as const,
          )}
          value={String(device?.id)}
          onChoose={(id) => setDevice(devices.find((reachDevice) => String(reachDevice.id) === id))}
        />
      ) : (
        device && <p>{getDeviceName(device)}</p>
      )}
    </DialogForm>
  );
}
