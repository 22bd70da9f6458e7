import type { ShownStage } from './test-steps';

export const StageList = ({
  label,
  steps,
  panel,
}: {
  label: string;
  steps: readonly ShownStage[];
  panel?: boolean;
}) => (
  // biome-ignore lint/a11y/useSemanticElements: a fieldset is for fields; a list of its own bears no name
  <div role="group" aria-label={label}>
    <ol className={panel ? 'panel stages' : 'stages'}>
      {steps.map(({ title, text, tone, isCurrent: current }, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: stages stay in their order
        <li key={index} data-tone={tone} aria-current={current ? 'step' : undefined}>
          <b>{title}</b>
          <small>{text}</small>
        </li>
      ))}
    </ol>
  </div>
);
