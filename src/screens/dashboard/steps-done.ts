/** Whether an installation is new and shows first steps. */
import type { Overview } from '../../shared/contract';

/** This person has a device; a topic exists and a message was sent; another person exists. */
export const stepsDone = ({
  ownDevices,
  topics,
  messages,
  people,
}: Overview): [boolean, boolean, boolean] => [
  ownDevices > 0,
  topics.total > 0 && messages.length > 0,
  people.total > 1,
];

/** An installation in use is not new, whatever steps were skipped. */
export const isNewInstallation = ({ ownDevices, topics, messages, people }: Overview): boolean =>
  people.total <= 1 || (messages.length === 0 && (ownDevices === 0 || topics.total === 0));
