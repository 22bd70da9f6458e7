import { useState } from 'react';
import { errorMessage } from '../../api/error';
import { readAllTopics, TOPICS_FAILED } from '../../state/topics/all-topics';
import {
  changeManySubscriptions,
  SUBSCRIPTIONS_FAILED,
  type SubscriptionChange,
} from '../../state/users/many-subscriptions';
import { Dialog } from '../../ui/forms/Dialog';
import { FormError, Submit, useForm } from '../../ui/forms/form';
import { notify } from '../../ui/notices';
import { useIsMounted } from '../../ui/forms/use-is-mounted';
import { countedNoun } from '../../ui/lists/Pager';
import { Empty, Failure, Skeleton } from '../../ui/page';
import { Picker } from './Picker';
import { useLoad } from '../lists/use-load';

interface Props {
  change: SubscriptionChange;
  userIds: readonly number[];
  /** Picked initially. */
  initialTopicId: number | undefined;
  onClose: () => void;
  /** Called if nothing failed. */
  onDone: () => void;
}

const DIALOG_TEXTS = {
  subscribe: {
    action: 'Subscribe',
    busyText: 'Subscribing…',
    title: (people: number) => `Subscribe ${countedNoun(people, 'person')}`,
    done: (people: number, where: string) =>
      `${countedNoun(people, 'person')} subscribed to ${where}`,
  },
  unsubscribe: {
    action: 'Unsubscribe',
    busyText: 'Unsubscribing…',
    title: (people: number) => `Unsubscribe ${countedNoun(people, 'person')}`,
    done: (people: number, where: string) =>
      `${countedNoun(people, 'person')} unsubscribed from ${where}`,
  },
};

export function ManyTopics({ change, userIds, initialTopicId, onClose, onDone }: Props) {
  const { value, failure, loading, reload } = useLoad(change, readAllTopics, TOPICS_FAILED);
  const [pickedIds, setPickedIds] = useState<ReadonlySet<number>>(
    new Set(initialTopicId ? [initialTopicId] : []),
  );
  const isMounted = useIsMounted();
  const { action, busyText, title, done } = DIALOG_TEXTS[change];
  // Topics that have been deleted are ignored.
  const topics = (value ?? []).filter(({ id }) => pickedIds.has(id));

  const explain = (thrown: unknown) => errorMessage(thrown, SUBSCRIPTIONS_FAILED[change]);
  const { onSubmit, error, busy } = useForm(async () => {
    const { unchanged, failed, firstError } = await changeManySubscriptions(
      change,
      topics.map(({ id }) => id),
      userIds,
    );
    const doneTopics = topics.filter(({ id }) => !failed.includes(id));
    if (doneTopics.length) {
      const [onlyTopic] = doneTopics;
      const where =
        doneTopics.length === 1 && onlyTopic
          ? onlyTopic.title
          : countedNoun(doneTopics.length, 'topic');
      // The numbers differ if there are several topics.
      const hasUnchanged = doneTopics.length === 1 && unchanged > 0;
      const alreadyText = hasUnchanged
        ? `. ${unchanged.toLocaleString()} already ${unchanged === 1 ? 'was' : 'were'}`
        : '';
      notify(`${done(userIds.length, where)}${alreadyText}.`);
    }
    if (failed.length === 0) {
      onDone();
      if (isMounted.current) onClose();
      return;
    }
    // Failed ones stay picked for a retry.
    setPickedIds(new Set(failed));
    if (isMounted.current) throw firstError;
    notify(explain(firstError), 'bad');
  }, explain);

  const pick = (ids: readonly number[], isPicked: boolean) =>
    setPickedIds(
      new Set(isPicked ? [...pickedIds, ...ids] : [...pickedIds].filter((id) => !ids.includes(id))),
    );

  return (
    <Dialog title={title(userIds.length)} onClose={onClose}>
      <FormError id="many-error">{error}</FormError>
      {failure && <Failure retry={reload}>{failure}</Failure>}
      {!value && loading && <Skeleton />}
      {value?.length === 0 && <Empty>There are no topics yet.</Empty>}
      {value && value.length > 0 && (
        <Picker rows={value} pickedIds={pickedIds} onPick={pick} isSearchShown />
      )}
      <form method="dialog" className="foot bar" aria-describedby="many-error" onSubmit={onSubmit}>
        <small role="status">{countedNoun(topics.length, 'topic')} selected</small>
        <div>
          <button type="button" className="quiet" onClick={onClose}>
            Cancel
          </button>
          <Submit busy={busy} disabled={topics.length === 0} busyText={busyText}>
            {action}
          </Submit>
        </div>
      </form>
    </Dialog>
  );
}
