/**
 * The administrator's answers, checked as `shapes.ts` says. A file of its own: technicians never
 * load it.
 */
import type { Answer, Audience, Recipient, SentMessage } from '../../shared/contract';
import { anyTime, like, type Check } from '../shapes';

const page = { total: 0, page: 1, limit: 10 };
export const audience = like<Audience>({
  people: 0,
  reachable: 0,
  muted: 0,
  unreachable: 0,
  held: 0,
});
/** The counts of a sent message; its sender is not shown. */
export const sentMessage = like({
  total: 0,
  accepted: 0,
  failed: 0,
  gone: 0,
  pending: 0,
} as SentMessage);
/** All that is told of a sent message. */
const aReport: SentMessage = {
  id: '',
  topic: null,
  message: '',
  createdAt: anyTime,
  total: 0,
  accepted: 0,
  failed: 0,
  gone: 0,
  pending: 0,
  title: null,
  link: null,
  priority: 'normal',
  answers: [''],
  topics: [{ id: 0, title: '' }],
  sender: null,
  state: 'sent',
  sendAt: anyTime,
  expiresAt: anyTime,
  people: {
    total: 0,
    unreachable: 0,
    muted: 0,
    held: 0,
    displayed: 0,
    read: 0,
    acknowledged: 0,
  },
  tally: {},
};
type RecipientPage = Answer<'GET /api/admin/messages/:id/recipients'>;
const aRecipient: Recipient = {
  user: null,
  state: 'pending',
  answer: null,
  late: false,
  displayedAt: null,
  readAt: null,
  acknowledgedAt: null,
  devices: 0,
};
export const report = like(aReport);
export const sentPage = like({ messages: [aReport], ...page });
const someRecipients = like<RecipientPage>({ recipients: [aRecipient], ...page });
const aName = like({ id: 0, username: '' });
/** A removed person is `null` here: an example has no place for a value that may be missing. */
export const recipientPage: Check<RecipientPage> = (answer) =>
  someRecipients(answer) &&
  (answer as RecipientPage).recipients.every((row) => row.user === null || aName(row.user));
export const rung = like({ messageId: '', people: 0 });
