import type { Priority } from '../../../shared/contract';
import { Choice } from '../../../ui/forms/Choice';

export const PRIORITIES = [
  ['info', 'Info'],
  ['normal', 'Normal'],
  ['urgent', 'Urgent'],
] as const;

const PRIORITY_EFFECTS: Record<Priority, string> = {
  info: 'Arrives without a sound. During quiet hours, it’s held until they end.',
  normal: 'Makes a sound, even during quiet hours.',
  urgent:
    'Makes a sound and stays on the screen until opened or dismissed, even during quiet hours.',
};

/** A priority, and its effect. */
export const PriorityField = ({
  value,
  onChoose,
}: {
  value: Priority;
  onChoose: (priority: Priority) => void;
}) => (
  <fieldset>
    <Choice
      legend="Priority"
      name="priority"
      options={PRIORITIES}
      value={value}
      onChoose={onChoose}
    />
    <small>{PRIORITY_EFFECTS[value]}</small>
  </fieldset>
);
