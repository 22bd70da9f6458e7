/** The administrator's overview: counts, reach, system status. */
import { userPageSchema } from '../shared/contract/accounts' with { type: 'example' };
import { overviewSchema as overviewExample } from '../shared/contract/overview' with {
  type: 'example',
};
import { topicPageSchema } from '../shared/contract/topics' with { type: 'example' };
import { call } from '../api/call';
import { withCause } from '../api/with-cause';
import { ApiError } from '../api/error';
import type { Overview, SentMessage } from '../shared/contract';
import { readSent } from './messages/all-sent';

export interface Summary {
  /** A part is undefined if the app cannot read it. */
  users: number | undefined;
  topics: number | undefined;
  /** The latest messages, newest first: more than are shown, as some are shown elsewhere. */
  messages: readonly SentMessage[];
  /** The latest messages that are urgent, and those whose people need help, however old. */
  urgentMessages: readonly SentMessage[];
  /** The overview is undefined if the server does not offer one. */
  overview?: Overview;
}

export const OVERVIEW_FAILED = 'Failed to load the dashboard.';

const MAX_READ_MESSAGES = 8;
/** So many that alarms do not hide a message that people still have to answer. */
const MAX_URGENT_MESSAGES = 20;
const ONE_ROW_PAGE = { page: 1, limit: 1 };

/** @throws {ApiError} */
export async function readSummary(): Promise<Summary> {
  try {
    const [overview, urgentPage, helpPage] = await Promise.all([
      call('GET /api/admin/overview', {
        fallback: OVERVIEW_FAILED,
        like: overviewExample,
      }).catch(withCause(OVERVIEW_FAILED)),
      readSent({ page: 1, limit: MAX_URGENT_MESSAGES, query: '' }, { priority: 'urgent' }),
      readSent({ page: 1, limit: MAX_URGENT_MESSAGES, query: '' }, { state: 'needs_help' }),
    ]);
    const { people, topics, messages } = overview;
    return {
      users: people.total,
      topics: topics.total,
      messages,
      urgentMessages: [...helpPage.rows, ...urgentPage.rows],
      overview,
    };
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) return readParts();
    throw error;
  }
}

/** A server with only the specification's API has no overview, so this reads its parts. */
async function readParts(): Promise<Summary> {
  const total = (page: Promise<{ total: number }>) =>
    page.then((response) => response.total).catch(() => undefined);
  const [users, topics, { rows }] = await Promise.all([
    total(
      call('GET /api/admin/users', { query: ONE_ROW_PAGE, fallback: '', like: userPageSchema }),
    ),
    total(
      call('GET /api/admin/topics', { query: ONE_ROW_PAGE, fallback: '', like: topicPageSchema }),
    ),
    readSent({ page: 1, limit: MAX_READ_MESSAGES, query: '' }),
  ]);
  return { users, topics, messages: rows, urgentMessages: [] };
}
