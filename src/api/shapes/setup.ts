/** Policies, checked as `shapes.ts` says. A file of its own: few screens ask for them. */
import type { Answer, Policy, PolicyStep, TargetProblem } from '../../shared/contract';
import { like, type Check } from '../shapes';

/** An example has no place for a value that may be missing. */
const isMaybe = (type: 'number' | 'string', value: unknown): boolean =>
  value == null || typeof value === type;

const aStep: PolicyStep = { after: 0, action: 'repeat' };
const somePolicy = like<Policy>({ id: 0, name: '', quorum: null, steps: [aStep], topics: 0 });
export const policy: Check<Policy> = (answer) => {
  if (!somePolicy(answer)) return false;
  const { quorum, steps } = answer as Policy;
  return (
    isMaybe('number', quorum) &&
    steps.every(({ topicId, url }) => isMaybe('number', topicId) && isMaybe('string', url))
  );
};
const list = like({ policies: [] });
const problems = like<{ problems: TargetProblem[] }>({
  problems: [{ action: 'mail', problem: 'mail-not-set-up' }],
});
/** An older server says nothing of problems. */
export const policies: Check<Answer<'GET /api/admin/policies'>> = (answer) =>
  list(answer) &&
  (answer as { policies: Policy[] }).policies.every(policy) &&
  ((answer as { problems?: unknown }).problems === undefined || problems(answer));
