/** Makes a message's text fit into what a transport carries. */
import type { TopicMessageData } from '../../src/push-message';

/** A title is a line; beyond this many characters it would only crowd out the text. */
const LONGEST_TITLE = 200;
const ELLIPSIS = '…';

/**
 * The data with its body cut, if need be, so that `write(data)` is no longer than `limit` bytes of UTF-8. Cuts between
 * what people see as characters: an emoji with its skin tone or a letter with its accents stays whole or goes.
 */
export function fitPayload(data: TopicMessageData, limit: number, write: (data: TopicMessageData) => string): string {
  const whole = write(data);
  if (Buffer.byteLength(whole) <= limit) return whole;

  const title = cut(characters(data.title), LONGEST_TITLE);
  const body = characters(data.body);
  // The longest prefix that fits, by halving: escapes in JSON make the bytes of a character unpredictable.
  let fits = 0;
  let tooMany = body.length + 1;
  while (tooMany - fits > 1) {
    const middle = (fits + tooMany) >> 1;
    const text = write({ ...data, title, body: cut(body, middle) });
    if (Buffer.byteLength(text) <= limit) fits = middle;
    else tooMany = middle;
  }
  return write({ ...data, title, body: cut(body, fits) });
}

const segmenter = new Intl.Segmenter(undefined, { granularity: 'grapheme' });

function characters(text: string): string[] {
  return Array.from(segmenter.segment(text), ({ segment }) => segment);
}

function cut(text: string[], count: number): string {
  return text.length <= count ? text.join('') : text.slice(0, count).join('') + ELLIPSIS;
}
