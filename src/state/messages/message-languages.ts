import { messageLanguagesSchema } from '../../shared/contract/messages' with { type: 'example' };
import { call } from '../../api/call';
import type { ResponseOf } from '../../shared/contract';
import { endpointInArea, type CallArea } from './call-area';

export const LANGUAGES_FAILED = 'Failed to load the languages.';

type LanguageCount = ResponseOf<'GET /api/admin/messages/:id/languages'>['languages'][number];

/**
 * How many recipients read a message in which language.
 * @throws {ApiError}
 */
export const readMessageLanguages = async (area: CallArea, id: string): Promise<LanguageCount[]> =>
  (
    await call(endpointInArea(area, 'GET /api/admin/messages/:id/languages'), {
      params: { id },
      fallback: LANGUAGES_FAILED,
      like: messageLanguagesSchema,
    })
  ).languages;
