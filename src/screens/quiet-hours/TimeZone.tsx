import { useEffect, useMemo, useState } from 'react';
import { changeQuietHours } from '../../state/quiet-hours';
import { FormError } from '../../ui/forms/form';
import { deviceWord } from '../device-test/device-word';
import { otherZones, ownZone } from './time-zones';

interface Props {
  value: string;
  fault: string | undefined;
}

/** A native select copes with hundreds of time zones, even on a small phone. */
export function TimeZone({ value, fault }: Props) {
  const deviceZone = ownZone();
  const [otherRegions, setOtherRegions] = useState<ReturnType<typeof otherZones>>([]);
  // After the form is shown: hundreds of options take a slow phone a moment.
  useEffect(() => setOtherRegions(otherZones(deviceZone)), [deviceZone]);
  const groups = useMemo(
    () =>
      otherRegions.map(([region, names]) => (
        <optgroup key={region} label={region}>
          {names.map((name) => (
            <option key={name} value={name}>
              {name}
            </option>
          ))}
        </optgroup>
      )),
    [otherRegions],
  );
  // A zone from another device stays even if this browser does not know it.
  const isListed = value === deviceZone || otherRegions.some(([, names]) => names.includes(value));
  return (
    <>
      <label>
        Time zone
        <select
          name="timeZone"
          value={value}
          onChange={({ currentTarget }) => changeQuietHours({ timeZone: currentTarget.value })}
          {...(fault && { 'aria-invalid': true, 'aria-describedby': 'zone-error' })}
        >
          <option value={deviceZone}>{`${deviceZone} (this ${deviceWord()}’s time zone)`}</option>
          {!isListed && <option value={value}>{value}</option>}
          {groups}
        </select>
      </label>
      <FormError id="zone-error">{fault}</FormError>
    </>
  );
}
