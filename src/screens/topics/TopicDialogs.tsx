import type { Topic } from '../../shared/contract';
import { TopicKeys } from './TopicKeys';
import { Subscribers } from './Subscribers';
import { DeleteTopicDialog } from './DeleteTopicDialog';
import { TopicForm } from './TopicForm';
import type { TopicAction } from './TopicTable';

export type OpenTopicDialog =
  | { dialog: 'add' }
  | { dialog: Exclude<TopicAction, 'send'>; topic: Topic };

interface Props {
  open: OpenTopicDialog;
  onClose: () => void;
  /** Called after a change. */
  onDone: () => void;
}

/** The list's dialogs, which load after the list. */
export function TopicDialogs({ open, onClose, onDone }: Props) {
  if (open.dialog === 'add') return <TopicForm onClose={onClose} onDone={onDone} />;
  const { dialog, topic } = open;
  if (dialog === 'subscribers') return <Subscribers topic={topic} onClose={onClose} />;
  if (dialog === 'keys') return <TopicKeys topic={topic} onClose={onClose} />;
  if (dialog === 'edit') return <TopicForm topic={topic} onClose={onClose} onDone={onDone} />;
  return <DeleteTopicDialog topic={topic} onClose={onClose} onDone={onDone} />;
}
