import type { RoundSize } from '../../shared/contract';
import { DEVICE_COUNT_FAILED, countTestableDevices } from '../../state/reach/reach-board';
import { DialogForm } from '../../ui/forms/DialogForm';
import { countedNoun } from '../../ui/lists/Pager';
import { useLoad } from '../lists/use-load';

/** Confirms testing all devices, and says how many they are. */
export function TestAllDialog({ onTest, onClose }: { onTest: () => void; onClose: () => void }) {
  const { value: roundSize, failure } = useLoad('', countTestableDevices, DEVICE_COUNT_FAILED);
  return (
    <DialogForm
      title="Test all devices"
      action={
        roundSize?.devices ? `Test ${countedNoun(roundSize.devices, 'device')}` : 'Test all devices'
      }
      busyText="Starting…"
      danger={false}
      disabled={roundSize ? roundSize.devices === 0 : !failure}
      question={
        <span role="status">
          {roundSize ? confirmationText(roundSize) : unknownSizeText(failure)}
        </span>
      }
      submit={async () => onTest()}
      explain={String}
      onClose={onClose}
    />
  );
}

const unknownSizeText = (failure: string): string =>
  failure
    ? `${failure} Test all devices? Devices of people in quiet hours won’t be tested.`
    : 'Counting devices…';

function confirmationText({ devices, people, quietDevices, quietPeople }: RoundSize): string {
  const quiet = `${countedNoun(quietDevices, 'more device')} belonging to ${countedNoun(quietPeople, 'person')} in quiet hours`;
  if (devices === 0)
    return quietDevices === 0
      ? 'There are no devices to test.'
      : 'All devices belong to people in quiet hours. Try again when the quiet hours end.';
  const confirmText = `Test ${countedNoun(devices, 'device')} belonging to ${countedNoun(people, 'person')}? Each device gets a test notification within a minute.`;
  return quietDevices === 0 ? confirmText : `${confirmText} ${quiet} won’t be tested.`;
}
