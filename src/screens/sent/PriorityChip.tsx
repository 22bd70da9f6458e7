import type { Priority } from '../../shared/contract';
import { Icon } from '../../ui/Icon';
import { PRIORITY_NAMES } from './message-texts';

/** Urgent is solid red. */
export const PriorityChip = ({ priority }: { priority: Priority }) =>
  priority === 'urgent' ? (
    <span className="chip solid">
      <Icon name="alert" />
      {PRIORITY_NAMES.urgent}
    </span>
  ) : (
    <span>{PRIORITY_NAMES[priority] ?? priority}</span>
  );
