/** Whether an installation is new: then it is led to its first notification. */
import type { Overview } from '../../shared/contract';

/** This person can be notified; a topic is there; there is somebody else. */
export const stepsDone = ({
  ownDevices,
  topics,
  people,
}: Overview): [boolean, boolean, boolean] => [ownDevices > 0, topics.total > 0, people.total > 1];

/** Not one that is in use already, whatever its administrator has left out. */
export const isNew = (overview: Overview): boolean =>
  stepsDone(overview).includes(false) &&
  (overview.people.total <= 1 || overview.messages.length === 0);
