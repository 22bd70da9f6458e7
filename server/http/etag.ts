/** Answers that name their content, so that who asks again is only told of what has changed. */
import { sha256 } from '../lib/sha256';
import { Reply } from './answer';

/**
 * 304 where the caller has just this already.
 * @param ifNoneMatch the header as it came: `*`, or entity tags, of which weak ones count as well
 * (RFC 9110, section 13.1.2: a cache or proxy that compresses makes them weak)
 */
export function answerTagged(answer: object, ifNoneMatch: string | undefined): Reply {
  const body = JSON.stringify(answer);
  const tag = `"${sha256(body)}"`;
  if (isAmong(tag, ifNoneMatch)) return new Reply(304, { ETag: tag }, null);
  return new Reply(200, { ETag: tag, 'Content-Type': 'application/json' }, body);
}

/** A tag may hold commas: the list is not simply split. */
const TAG = /"[\x21\x23-\x7e\x80-\xff]*"/g;

/** Whether a tag, with its quotes and without `W/`, is among those of an `If-None-Match`. */
export const isAmong = (tag: string, ifNoneMatch = ''): boolean =>
  ifNoneMatch.trim() === '*' || [...ifNoneMatch.matchAll(TAG)].some(([each]) => each === tag);
