import type { ComponentProps } from 'react';
import { findPolicy, type PolicyTopic } from '../../../state/messages/describe-policy';
import { Dialog } from '../../../ui/forms/Dialog';
import { useLoad } from '../../lists/use-load';
import { LazyPolicyWarning } from '../../setup/PolicyField';
import { Review, REVIEW_TITLE, type ReviewedMessage } from './MessageReview';

const POLICY_FAILED = 'Failed to load the policy.';

interface Props extends Omit<ComponentProps<typeof Review>, 'policy' | 'canUndo'> {
  reviewedMessage: ReviewedMessage & {
    /** The chosen policy, null for none; undefined for the topic’s policy. */
    policyId?: number | null | undefined;
    topic?: PolicyTopic | undefined;
  };
}

/** Also names the escalation policy, which only administrators may know. */
export function PolicyReview({ reviewedMessage, ...rest }: Props) {
  const { value, failure } = useLoad(
    '',
    () => findPolicy(reviewedMessage.policyId, reviewedMessage.topic),
    POLICY_FAILED,
  );
  return (
    <Review
      reviewedMessage={reviewedMessage}
      policy={
        <>
          <bdi>{value?.text ?? (failure || 'Loading…')}</bdi>
          {value?.policyId != null && <LazyPolicyWarning policyId={value.policyId} />}
        </>
      }
      canUndo
      {...rest}
    />
  );
}

export const PolicyReviewDialog = (props: Props) => (
  <Dialog title={REVIEW_TITLE} onClose={props.onClose}>
    <PolicyReview {...props} />
  </Dialog>
);
