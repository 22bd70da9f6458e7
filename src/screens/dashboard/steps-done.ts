/** Whether an installation is new and shows first steps. */
import type { Overview } from '../../shared/contract';

/** This person has a device; a topic exists; another person exists. */
export const stepsDone = ({
  ownDevices,
  topics,
  people,
}: Overview): [boolean, boolean, boolean] => [ownDevices > 0, topics.total > 0, people.total > 1];

/** An installation in use is not new, whatever steps were skipped. */
export const isNewInstallation = (overview: Overview): boolean =>
  stepsDone(overview).includes(false) &&
  (overview.people.total <= 1 || overview.messages.length === 0);
