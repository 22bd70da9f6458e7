/** Sent messages and their progress. */
import { notifiedAgainSchema, sentMessageSchema } from '../../shared/contract/messages' with {
  type: 'example',
};
import {
  ownRecipientPageSchema,
  ownSentMessageSchema,
  ownSentPageSchema,
} from '../../shared/contract/senders' with { type: 'example' };
import { call } from '../../api/call';
import { ifChangedSince, type TaggedValue } from '../../api/conditional-get';
import type {
  ResponseOf,
  OwnRecipient,
  OwnSentMessage,
  Recipient,
  SentMessage,
} from '../../shared/contract';
import type { PeopleGroup, UnseenFilter } from '../../shared/recipient-states';
import type { PageOf, PageRequest } from '../read-all-pages';
import { endpointInArea, MESSAGE_CANCEL_FAILED, type CallArea } from './call-area';
import { dropSenderRightIfForbidden } from './sending-topics';

export const SENT_FAILED = 'Failed to load messages.';
export const MESSAGE_FAILED = 'Failed to load the message.';
export const RECIPIENTS_FAILED = 'Failed to load the recipients.';
export const RECIPIENTS_DOWNLOAD_FAILED = 'Failed to download the list.';
export const NOTIFY_AGAIN_FAILED = 'Failed to notify people again.';

/** A long list on a slow network. */
const DOWNLOAD_TIMEOUT_MS = 120_000;
/** The server's limit. */
const MAX_PAGE_SIZE = 100;

/** People who answered an earlier text. */
export const EARLIER_ANSWERS_GROUP = 'earlier';
/**
 * People of some states, or everyone who was not shown the correction or the all-clear, or answered
 * an earlier text.
 */
export type RecipientGroup = PeopleGroup | UnseenFilter | typeof EARLIER_ANSWERS_GROUP;

/** Senders' messages have no counts of devices. */
export type SeenByOwner = SentMessage & { isOwn: boolean };
const withEmptyDeviceCounts = (message: OwnSentMessage): SeenByOwner => ({
  ...{ total: 0, accepted: 0, failed: 0, gone: 0, pending: 0 },
  ...message,
});

/** What a sender sent, and what others sent to their topics. */
export async function readOwnSent(request: PageRequest): Promise<PageOf<SeenByOwner>> {
  const { messages, ...page } = await dropSenderRightIfForbidden(
    call('GET /api/sending/messages', {
      query: request,
      fallback: SENT_FAILED,
      like: ownSentPageSchema,
    }),
  );
  return { rows: messages.map(withEmptyDeviceCounts), ...page };
}

export type SeenMessage = TaggedValue<SentMessage>;
/** Senders see recipients without address, status and devices. */
export type SeenRecipient = OwnRecipient & {
  user: Partial<NonNullable<Recipient['user']>> | null;
};

/**
 * A message's progress; resolves with `before` itself if nothing changed.
 * @throws {ApiError}
 */
export async function readProgress(
  area: CallArea,
  id: string,
  before?: SeenMessage,
): Promise<SeenMessage> {
  const options = { params: { id }, fallback: MESSAGE_FAILED };
  if (area === 'admin')
    return call('GET /api/admin/messages/:id', {
      ...options,
      ...ifChangedSince(before, sentMessageSchema),
    });
  const cached = before as TaggedValue<SeenByOwner> | undefined;
  const response = await call('GET /api/sending/messages/:id', {
    ...options,
    ...ifChangedSince<OwnSentMessage>(cached, ownSentMessageSchema),
  });
  return response === cached
    ? cached
    : { value: withEmptyDeviceCounts(response.value), tag: response.tag };
}

/** @param state the server's filter, or `EARLIER_ANSWERS_GROUP` */
export async function readRecipients(
  area: CallArea,
  id: string,
  state: string,
  request: PageRequest & { answer?: string },
): Promise<PageOf<SeenRecipient>> {
  const { recipients: rows, ...page } = await call<
    'GET /api/admin/messages/:id/recipients',
    ResponseOf<'GET /api/sending/messages/:id/recipients'>
  >(endpointInArea(area, 'GET /api/admin/messages/:id/recipients'), {
    params: { id },
    query: {
      ...request,
      ...(state === EARLIER_ANSWERS_GROUP ? { formerAnswers: true } : { state }),
    },
    fallback: RECIPIENTS_FAILED,
    like: ownRecipientPageSchema,
  });
  return { rows, ...page };
}

/** Reads all matching usernames. Deleted people have no username. */
export async function readRecipientNames(
  area: CallArea,
  id: string,
  state: string,
  query: string,
): Promise<string[]> {
  const names = new Set<string>();
  for (let page = 1; ; page++) {
    const { rows, total, limit } = await readRecipients(area, id, state, {
      page,
      limit: MAX_PAGE_SIZE,
      query,
    });
    for (const { user } of rows) if (user) names.add(user.username);
    if (rows.length === 0 || page * (limit > 0 ? limit : MAX_PAGE_SIZE) >= total) return [...names];
  }
}

/**
 * A message's recipients as CSV.
 * @param state empty for all
 */
export const downloadRecipients = (area: CallArea, id: string, state: string): Promise<Blob> =>
  call(endpointInArea(area, 'GET /api/admin/messages/:id/recipients.csv'), {
    params: { id },
    query: state ? { state } : {},
    fallback: RECIPIENTS_DOWNLOAD_FAILED,
    limit: DOWNLOAD_TIMEOUT_MS,
    read: (response) => response.blob(),
  });

export async function cancelSentMessage(area: CallArea, id: string): Promise<void> {
  await call(endpointInArea(area, 'POST /api/admin/messages/:id/cancel'), {
    params: { id },
    fallback: MESSAGE_CANCEL_FAILED,
  });
}

/** The people to notify again: they have not answered, or were not shown the correction. */
export interface NotifyAgainTarget {
  userIds?: number[];
  /** The server's filter. */
  state?: string;
}

/** @returns how many people are notified again */
export async function notifyAgain(
  area: CallArea,
  id: string,
  target: NotifyAgainTarget,
): Promise<number> {
  const { people } = await call(endpointInArea(area, 'POST /api/admin/messages/:id/repeat'), {
    params: { id },
    body: target,
    fallback: NOTIFY_AGAIN_FAILED,
    like: notifiedAgainSchema,
  });
  return people;
}
