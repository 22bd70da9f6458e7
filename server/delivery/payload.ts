/** Makes a message's text fit into what a transport carries. */
import type { TopicMessageData } from '../../src/shared/push-message';

type Fit = (data: TopicMessageData) => TopicMessageData;
export type Write = (data: TopicMessageData) => string;

/** A title is a line; beyond this many characters it would only crowd out the text. */
const MAX_TITLE = 200;
const ELLIPSIS = '…';

/** What differs from person to person, as long as it can be. */
const WIDEST = { topicId: '9'.repeat(16), seq: '9'.repeat(16), unread: '999' };

/**
 * Makes the function that cuts a message's body, if need be, so that `write(data)` is no longer
 * than `limit` bytes of UTF-8. It cuts between what people see as characters: an emoji with its
 * skin tone stays whole or goes. The sender's link goes before any of the text does, as the inbox
 * has it, too; ids, times and answers stay as they are. Where the last message was cut is
 * remembered, since a fan-out asks for the same one thousands of times.
 */
export function createFit(limit: number, write: Write): Fit {
  let last: { of: string; cut: Partial<TopicMessageData> } | undefined;
  return (data) => {
    const { messageId, round = '', title } = data;
    const of = JSON.stringify([messageId, round, title]);
    if (last?.of !== of) last = { of, cut: cutOf({ ...data, ...WIDEST }, limit, write) };
    return { ...data, ...last.cut };
  };
}

/** What has to be changed so that it fits. */
function cutOf(data: TopicMessageData, limit: number, write: Write): Partial<TopicMessageData> {
  const fits = (change: Partial<TopicMessageData>) =>
    Buffer.byteLength(write({ ...data, ...change })) <= limit;
  if (fits({})) return {};
  const url = data.url === undefined ? {} : { url: '' };
  if (fits(url)) return url;

  const title = cut(characters(data.title, limit), MAX_TITLE);
  const body = characters(data.body, limit);
  const withBody = (count: number) => ({ ...url, title, body: cut(body, count) });
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
