import type { ClaimedPush } from '../../../server/db/outbox/claimed-push';

export const createClaim = (
  { sentAt, expiresAt }: { sentAt: number; expiresAt: number },
  rest: Pick<ClaimedPush, 'id'> & Partial<ClaimedPush>,
): ClaimedPush => ({
  claimedUntil: sentAt + 30_000,
  sortKey: sentAt,
  attempts: 0,
  lostClaims: 0,
  service: 1,
  message: {
    id: 'm1',
    testId: null,
    isDigest: false,
    isReminder: false,
    title: 'Outages',
    text: 'Line 4',
    link: null,
    priority: 'normal',
    answers: [],
    translations: {},
    sentAt,
    expiresAt,
    round: 0,
    revision: 1,
    allClear: null,
  },
  recipient: undefined,
  skipReason: undefined,
  ...rest,
});
