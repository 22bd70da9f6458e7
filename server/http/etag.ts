import { sha256 } from '../lib/sha256';
import { CustomResponse } from './response';

/** Weak tags count, too: a compressing proxy makes them weak (RFC 9110, section 13.1.2). */
export function respondWithEtag(value: object, ifNoneMatch: string | undefined): CustomResponse {
  const body = JSON.stringify(value);
  const tag = `"${sha256(body)}"`;
  if (matchesEtag(tag, ifNoneMatch)) return new CustomResponse(304, { ETag: tag }, null);
  return new CustomResponse(200, { ETag: tag, 'Content-Type': 'application/json' }, body);
}

/** A tag may hold commas, so splitting the list is not enough. */
const TAG = /"[\x21\x23-\x7e\x80-\xff]*"/g;

export const matchesEtag = (tag: string, ifNoneMatch = ''): boolean =>
  ifNoneMatch.trim() === '*' ||
  [...ifNoneMatch.matchAll(TAG)].some(([listedTag]) => listedTag === tag);
