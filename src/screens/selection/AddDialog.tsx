import { useState, type ReactNode } from 'react';
import { errorMessage } from '../../api/error';
import type { Addressee } from '../../state/messages/composing';
import { DialogForm } from '../../ui/forms/DialogForm';
import { AddresseeBox, isSameAddressee, ADDRESSEE_KINDS } from '../compose/audience/AddresseeBox';
import { PickedItems } from '../compose/PickedItems';

interface Props {
  title: ReactNode;
  /** The search field's label. */
  label: string;
  /** What can be found. */
  kinds: readonly Addressee['kind'][];
  submit: (picked: readonly Addressee[]) => Promise<void>;
  failed: string;
  onClose: () => void;
}

/** Finds people or teams by name, one after another, and adds them at once. */
export function AddDialog({ title, label, kinds, submit, failed, onClose }: Props) {
  const [pickedAddressees, setPickedAddressees] = useState<readonly Addressee[]>([]);
  return (
    <DialogForm
      title={title}
      action="Add"
      busyText="Adding…"
      disabled={pickedAddressees.length === 0}
      submit={() => submit(pickedAddressees)}
      explain={(thrown) => errorMessage(thrown, failed)}
      onClose={onClose}
    >
      <PickedItems
        names={pickedAddressees.map(({ kind, id, name, people }) => ({
          key: `${kind}${id}`,
          name,
          icon: ADDRESSEE_KINDS[kind].icon,
          people,
        }))}
        onRemove={(index) => setPickedAddressees(pickedAddressees.filter((_, at) => at !== index))}
      />
      <AddresseeBox
        label={label}
        kinds={kinds}
        pickedAddressees={pickedAddressees}
        onPick={(addressee) =>
          pickedAddressees.some((pickedAddressee) => isSameAddressee(addressee, pickedAddressee)) ||
          setPickedAddressees([...pickedAddressees, addressee])
        }
      />
    </DialogForm>
  );
}
