import type { ComponentProps } from 'react';
import { describePolicy, type PolicyTopic } from '../../../state/messages/describe-policy';
import { useLoad } from '../../lists/use-load';
import { ReviewDialog, type ReviewedMessage } from './ReviewDialog';

const POLICY_FAILED = 'Failed to load the policy.';

interface Props extends Omit<ComponentProps<typeof ReviewDialog>, 'policy' | 'canUndo'> {
  reviewedMessage: ReviewedMessage & {
    /** The chosen policy, null for none; undefined for the topic’s policy. */
    policyId?: number | null | undefined;
    topic?: PolicyTopic | undefined;
  };
}

/** The dialog also names the escalation policy, which only administrators may know. */
export function PolicyReviewDialog({ reviewedMessage, ...rest }: Props) {
  const { value, failure } = useLoad(
    '',
    () => describePolicy(reviewedMessage.policyId, reviewedMessage.topic),
    POLICY_FAILED,
  );
  return (
    <ReviewDialog
      reviewedMessage={reviewedMessage}
      policy={value ?? (failure || 'Loading…')}
      canUndo
      {...rest}
    />
  );
}
