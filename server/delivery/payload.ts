/** Makes a message's text fit into what a transport carries. */
import type { TopicMessageData } from '../../src/shared/push-message';

type Fit = (data: TopicMessageData) => TopicMessageData;

/** A title is a line; beyond this many characters it would only crowd out the text. */
const MAX_TITLE = 200;
const ELLIPSIS = '…';

/**
 * Makes the function that cuts a message's body, if need be, so that `write(data)` is no longer
 * than `limit` bytes of UTF-8. It cuts between what people see as characters: an emoji with its
 * skin tone stays whole or goes. The last message is remembered, since a fan-out asks for the same
 * one thousands of times.
 */
export function createFit(limit: number, write: (data: TopicMessageData) => string): Fit {
  let last: TopicMessageData | undefined;
  return (data) => {
    if (last?.messageId !== data.messageId) last = fit(data, limit, write);
    return last;
  };
}

function fit(
  data: TopicMessageData,
  limit: number,
  write: (data: TopicMessageData) => string,
): TopicMessageData {
  const fits = (candidate: TopicMessageData) => Buffer.byteLength(write(candidate)) <= limit;
  if (fits(data)) return data;

  const title = cut(characters(data.title, limit), MAX_TITLE);
  const body = characters(data.body, limit);
  const withBody = (count: number) => ({ ...data, title, body: cut(body, count) });
  // The longest prefix that fits, by halving: escapes in JSON make the bytes of a character
  // unpredictable.
  let enough = 0;
  let tooMany = body.length + 1;
  while (tooMany - enough > 1) {
    const middle = (enough + tooMany) >> 1;
    if (fits(withBody(middle))) enough = middle;
    else tooMany = middle;
  }
  return withBody(enough);
}

const segmenter = new Intl.Segmenter(undefined, { granularity: 'grapheme' });

/**
 * What people see as characters. Only of the part that could fit at all, because finding them is
 * slow.
 */
function characters(text: string, limit: number): string[] {
  return Array.from(segmenter.segment(text.slice(0, limit + 1)), ({ segment }) => segment);
}

function cut(text: string[], count: number): string {
  return text.length <= count ? text.join('') : text.slice(0, count).join('') + ELLIPSIS;
}
