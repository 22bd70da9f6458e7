import { useState, type ReactNode } from 'react';
import { errorMessage } from '../../api/error';
import { Dialog } from '../../ui/forms/Dialog';
import { FormError, Submit, useForm } from '../../ui/forms/form';
import { countedNoun } from '../../ui/lists/Pager';
import { Empty, Failure, Skeleton } from '../../ui/page';
import { useLoad } from '../lists/use-load';
import { Picker, type Pickable } from './Picker';

interface Props {
  title: ReactNode;
  noun: 'topic' | 'team';
  /** What can be picked. */
  read: () => Promise<readonly Pickable[]>;
  readFailed: string;
  /** Shown if there is nothing to pick. */
  empty: string;
  /** Picked at first; then picking none is a change, too. */
  initialIds?: readonly number[];
  action: string;
  busyText: string;
  /** `offered`: all that could be picked. */
  submit: (ids: readonly number[], offered: readonly number[]) => Promise<void>;
  submitFailed: string;
  onClose: () => void;
}

/** Picks topics or teams. */
export function PickDialog(props: Props) {
  const { title, noun, read, readFailed, empty, initialIds, action, busyText, onClose } = props;
  const { value, failure, loading, reload } = useLoad('', read, readFailed);
  const [pickedIds, setPickedIds] = useState<ReadonlySet<number>>(new Set(initialIds));
  const offeredIds = (value ?? []).map(({ id }) => id);
  // Ignores deleted rows.
  const keptIds = offeredIds.filter((id) => pickedIds.has(id));
  const { onSubmit, error, busy } = useForm(
    async () => {
      await props.submit(keptIds, offeredIds);
      onClose();
    },
    (thrown) => errorMessage(thrown, props.submitFailed),
  );
  const pick = (changedIds: readonly number[], isPicked: boolean) =>
    setPickedIds(
      new Set(
        isPicked
          ? [...pickedIds, ...changedIds]
          : [...pickedIds].filter((id) => !changedIds.includes(id)),
      ),
    );
  return (
    <Dialog title={title} onClose={onClose}>
      <FormError id="pick-error">{error}</FormError>
      {failure && <Failure retry={reload}>{failure}</Failure>}
      {!value && loading && <Skeleton />}
      {value?.length === 0 && <Empty>{empty}</Empty>}
      {value && value.length > 0 && (
        <Picker noun={noun} rows={value} pickedIds={pickedIds} onPick={pick} isSearchShown />
      )}
      <form method="dialog" className="foot bar" aria-describedby="pick-error" onSubmit={onSubmit}>
        <small role="status">{countedNoun(keptIds.length, noun)} selected</small>
        <div>
          <button type="button" className="quiet" onClick={onClose}>
            Cancel
          </button>
          <Submit
            busy={busy}
            disabled={!value || (initialIds === undefined && keptIds.length === 0)}
            busyText={busyText}
          >
            {action}
          </Submit>
        </div>
      </form>
    </Dialog>
  );
}
