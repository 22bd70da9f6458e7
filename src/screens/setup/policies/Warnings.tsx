import type { PolicyStep, TargetProblem } from '../../../shared/contract';
import { problemText } from '../../step-problems';

export type TargetProblems = readonly TargetProblem[];

/** The server's problem with a step's target. */
export const findTargetProblem = (
  { action, topicId, url }: Omit<PolicyStep, 'after'>,
  problems: TargetProblems,
): string | undefined =>
  problemText(
    problems.find(
      (problem) =>
        problem.action === action &&
        (action !== 'notify' || problem.topicId === topicId) &&
        (action !== 'webhook' || problem.url === url),
    )?.problem ?? '',
  );

/** Warns before sending about steps that can't work. */
export function Warnings({
  steps,
  problems,
}: {
  steps: readonly PolicyStep[];
  problems: TargetProblems;
}) {
  const warnings = steps.flatMap((step) => {
    const problem = findTargetProblem(step, problems);
    return problem ? [`After ${(step.after / 60).toLocaleString()} min: ${problem}`] : [];
  });
  if (warnings.length === 0) return null;
  return (
    <div className="note" data-tone="warn" role="status">
      <b>
        {warnings.length === 1
          ? 'An escalation step has a problem'
          : `${warnings.length} escalation steps have problems`}
      </b>
      {warnings.map((sentence) => (
        <div key={sentence}>{sentence}</div>
      ))}
    </div>
  );
}
