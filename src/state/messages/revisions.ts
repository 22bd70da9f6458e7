/** Corrections and the all-clear of sent messages. */
import { call } from '../../api/call';
import { withCause } from '../../api/with-cause';
import type { Body } from '../../shared/contract';
import { endpointInArea, type CallArea } from './call-area';

export const CORRECTION_FAILED = 'Failed to correct the message.';
export const ALL_CLEAR_FAILED = 'Failed to send the all-clear.';

/**
 * @param before the revision that the person saw
 * @returns whether there is a newer one, which people are notified of
 * @throws {ApiError}
 */
export async function correctMessage(
  area: CallArea,
  id: string,
  correction: Body<'POST /api/admin/messages/:id/correct'>,
  before = 1,
): Promise<boolean> {
  const corrected = await call(endpointInArea(area, 'POST /api/admin/messages/:id/correct'), {
    params: { id },
    body: correction,
    fallback: CORRECTION_FAILED,
  }).catch(withCause(CORRECTION_FAILED));
  return (corrected?.revision ?? 1) > before;
}

/**
 * @param message its words; may be empty.
 * @throws {ApiError}
 */
export async function giveAllClear(area: CallArea, id: string, message: string): Promise<void> {
  await call(endpointInArea(area, 'POST /api/admin/messages/:id/all-clear'), {
    params: { id },
    body: message ? { message } : {},
    fallback: ALL_CLEAR_FAILED,
  }).catch(withCause(ALL_CLEAR_FAILED));
}
