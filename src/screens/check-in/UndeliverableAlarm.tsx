import type { CheckIn } from '../../shared/contract';
import { ownCheckIns } from '../../state/check-ins/own-check-ins';
import { isUndeliverable } from './check-in-texts';

/** Whether an alarm sent now would reach no recipient: the screen then promises nothing. */
export const canNotifyNoOne = (): boolean => ownCheckIns.value?.isAlarmUndeliverable === true;

/** Whether an alarm reaches no recipient. Before it is sent: whether it would reach none. */
export const reachesNoOne = (alarm: CheckIn['alarm']): boolean =>
  alarm ? isUndeliverable(alarm) : canNotifyNoOne();

/** Warns that an alarm sent now would reach no recipient. Shows nothing if it would reach one. */
export const UndeliverableAlarm = () =>
  canNotifyNoOne() ? (
    <p className="note" data-tone="bad" role="status">
      Right now, we can’t alert anyone. Find another way to tell someone where you are.
    </p>
  ) : null;
