import type {
  ResponseOf,
  People,
  Recipient,
  RecipientState,
  SentMessage,
  Subscriber,
  Topic,
  TopicPage,
  User,
  UserPage,
} from '../../../../src/shared/contract';
import { asksForHelp } from '../../../../src/shared/help-answers';

const DAY_MS = 24 * 60 * 60 * 1000;
const day = (index: number): string =>
  new Date(Date.UTC(2026, 10, 20) - index * DAY_MS).toISOString();

export const createTopic = (id: number, change: Partial<Topic> = {}): Topic => ({
  id,
  title: `Topic ${id}`,
  description: `About topic ${id}`,
  createdAt: day(id),
  updatedAt: day(id),
  ...change,
});

export const createUser = (id: number, change: Partial<User> = {}): User => ({
  id,
  username: `user${id}`,
  email: `user${id}@northgrid.example`,
  role: 'TECHNICIAN',
  status: 'ACTIVE',
  createdAt: day(id),
  ...change,
});

export const createSubscriber = (id: number, change: Partial<Subscriber> = {}): Subscriber => ({
  id,
  createdAt: day(id),
  user: { id, username: `user${id}`, role: 'TECHNICIAN' },
  notificationStatus: 'enabled',
  enabledDevices: 1,
  totalDevices: 1,
  ...change,
});

const NO_UNSEEN_COUNTS = { unreachable: 0, muted: 0, held: 0, pending: 0, accepted: 0, failed: 0 };
/** A message to 31 people that asks for an answer. */
export function createSentMessage(
  id: string,
  { people, ...change }: Partial<Omit<SentMessage, 'people'>> & { people?: Partial<People> } = {},
): SentMessage {
  const sendAt = change.sendAt ?? '2026-11-20T14:02:00.000Z';
  const unseenCounts = { unreachable: 4, muted: 1, held: 0, pending: 0, accepted: 1, failed: 1 };
  const seenCounts = { total: 31, displayed: 24, read: 20, acknowledged: 18, ...people };
  const isSeen = seenCounts.displayed >= seenCounts.total;
  return {
    id,
    topic: { id: 1, title: 'Storm warnings' },
    message: 'Stop all work on poles.',
    createdAt: sendAt,
    total: 26,
    accepted: 26,
    failed: 0,
    gone: 0,
    pending: 0,
    title: null,
    link: null,
    priority: 'normal',
    answers: ['On my way', 'Got it'],
    topics: [{ id: 1, title: 'Storm warnings' }],
    sender: 'ada.lindqvist',
    state: 'sent',
    sendAt,
    expiresAt: new Date(Date.now() + DAY_MS).toISOString(),
    people: { ...unseenCounts, ...(isSeen && NO_UNSEEN_COUNTS), ...seenCounts },
    tally: { 'On my way': 11, 'Got it': 7 },
    ...(change.answers && { helpAnswers: change.answers.filter(asksForHelp) }),
    ...change,
  };
}

export const createRecipient = (
  id: number,
  state: RecipientState,
  change: Partial<Recipient> = {},
): Recipient => ({
  user: { id, username: `user${id}`, role: 'TECHNICIAN' },
  state,
  answer: null,
  late: false,
  displayedAt: null,
  readAt: null,
  acknowledgedAt: null,
  devices: 1,
  ...change,
});

export function topicPages(
  topics: readonly Topic[],
): (request: { query: Record<string, string> }) => TopicPage {
  return ({ query }) => ({ topics: pageOfRows(topics, query), ...pageFields(topics, query) });
}
export function userPages(
  users: readonly User[],
): (request: { query: Record<string, string> }) => UserPage {
  return ({ query }) => ({ users: pageOfRows(users, query), ...pageFields(users, query) });
}

export function sentPages(
  messages: readonly SentMessage[],
): (request: { query: Record<string, string> }) => ResponseOf<'GET /api/admin/messages'> {
  return ({ query }) => ({ messages: pageOfRows(messages, query), ...pageFields(messages, query) });
}
export function recipientPages(
  recipients: readonly Recipient[],
): (request: {
  query: Record<string, string>;
}) => ResponseOf<'GET /api/admin/messages/:id/recipients'> {
  return ({ query }) => {
    const states = query.state?.split(',');
    const matching = recipients.filter(({ state }) => !states || states.includes(state));
    return { recipients: pageOfRows(matching, query), ...pageFields(matching, query) };
  };
}

export const pageFields = (rows: readonly unknown[], { page, limit }: Record<string, string>) => ({
  total: rows.length,
  page: Number(page),
  limit: Number(limit),
});
export const pageOfRows = <Row>(
  rows: readonly Row[],
  { page, limit }: Record<string, string>,
): Row[] => rows.slice((Number(page) - 1) * Number(limit), Number(page) * Number(limit));

export const numbersUpTo = (last: number): number[] =>
  Array.from({ length: last }, (_, index) => index + 1);
