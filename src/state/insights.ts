/** How messages arrived over time, for administrators. */
import { call } from '../api/call';
import type { Insights } from '../shared/contract';
import { insightsSchema } from '../shared/contract/insights' with { type: 'example' };

export type { InsightDay, Insights, SlowTopic } from '../shared/contract';

export const INSIGHTS_FAILED = 'Failed to load insights.';
export const INSIGHTS_EXPORT_FAILED = 'Failed to download insights.';

export interface InsightsRequest {
  days: 7 | 30 | 90;
  /** The topic to show, undefined for all topics. */
  topicId: number | undefined;
  /** The server rejects a team together with a topic. */
  teamId?: number | undefined;
}

/** Days are in this device's time zone, which an old browser may not know. */
const toQuery = ({ days, topicId, teamId }: InsightsRequest) => ({
  days,
  ...(topicId !== undefined && { topicId }),
  ...(teamId !== undefined && { teamId }),
  timeZone: Intl.DateTimeFormat().resolvedOptions().timeZone || 'UTC',
});

/** @throws {ApiError} */
export const readInsights = (request: InsightsRequest): Promise<Insights> =>
  call('GET /api/admin/insights', {
    query: toQuery(request),
    fallback: INSIGHTS_FAILED,
    like: insightsSchema,
  });

/**
 * The days as CSV.
 * @throws {ApiError}
 */
export const downloadInsights = (request: InsightsRequest): Promise<Blob> =>
  call('GET /api/admin/insights.csv', {
    query: toQuery(request),
    fallback: INSIGHTS_EXPORT_FAILED,
    read: (response) => response.blob(),
  });
