import type { PolicyStep, TargetProblem } from '../../../shared/contract';
import { problemText } from '../../step-problems';

export type Problems = readonly TargetProblem[];

/** What is wrong with what a step uses, if the server says so. */
export const problemOf = (
  { action, topicId, url }: Omit<PolicyStep, 'after'>,
  problems: Problems,
): string | undefined =>
  problemText(
    problems.find(
      (one) =>
        one.action === action &&
        (action !== 'notify' || one.topicId === topicId) &&
        (action !== 'webhook' || one.url === url),
    )?.problem ?? '',
  );

/** Says before sending which steps of a policy can’t work here. */
export function Warnings({
  steps,
  problems,
}: {
  steps: readonly PolicyStep[];
  problems: Problems;
}) {
  const found = steps.flatMap((step) => {
    const problem = problemOf(step, problems);
    return problem ? [`After ${(step.after / 60).toLocaleString()} min: ${problem}`] : [];
  });
  if (found.length === 0) return null;
  return (
    <div className="note" data-tone="warn" role="status">
      <b>
        {found.length === 1
          ? 'An escalation step has a problem'
          : `${found.length} escalation steps have problems`}
      </b>
      {found.map((sentence) => (
        <div key={sentence}>{sentence}</div>
      ))}
    </div>
  );
}
