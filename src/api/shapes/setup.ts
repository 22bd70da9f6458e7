/** Policies, webhooks and the audit log, checked as `shapes.ts` says. A file of its own: few screens ask for them. */
import type {
  Answer,
  AuditPage,
  Policy,
  PolicyStep,
  TargetProblem,
  Webhook,
} from '../../shared/contract';
import { anyTime, like, type Check } from '../shapes';

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

const someWebhook = like<Webhook>({
  id: 0,
  url: '',
  events: ['' as 'message.sent'],
  lastStatus: null,
  lastAt: anyTime,
  failingSince: null,
  offSince: null,
});
export const webhook: Check<Webhook> = (answer) =>
  someWebhook(answer) && isMaybe('number', (answer as Webhook).lastStatus);
const secret = like({ secret: '' });
export const newWebhook: Check<Webhook & { secret: string }> = (answer) =>
  webhook(answer) && secret(answer);
const hooks = like({ webhooks: [] });
export const webhooks: Check<{ webhooks: Webhook[] }> = (answer) =>
  hooks(answer) && (answer as { webhooks: Webhook[] }).webhooks.every(webhook);

export const auditPage = like<AuditPage>({
  entries: [{ id: 0, at: anyTime, actor: '', action: '', target: '', detail: '', network: null }],
  keptDays: 0,
  total: 0,
  page: 1,
  limit: 10,
});
