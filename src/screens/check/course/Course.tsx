import type { CourseStep } from './steps';

export const Course = ({
  label,
  steps,
  panel,
}: {
  label: string;
  steps: readonly CourseStep[];
  panel?: boolean;
}) => (
  // biome-ignore lint/a11y/useSemanticElements: a fieldset is for fields; a list of its own bears no name
  <div role="group" aria-label={label}>
    <ol className={panel ? 'panel course' : 'course'}>
      {steps.map(({ title, text, tone, current }, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: stages stay in their order
        <li key={index} data-tone={tone} aria-current={current ? 'step' : undefined}>
          <b>{title}</b>
          <small>{text}</small>
        </li>
      ))}
    </ol>
  </div>
);
