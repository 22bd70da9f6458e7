/** Cuts a message's text to what a transport carries. */
import type { TopicMessageData } from '../../src/shared/push-message';

type FitToLength = (data: TopicMessageData) => TopicMessageData;
export type WritePayload = (data: TopicMessageData) => string;

/** A longer title would only displace the text. */
const MAX_TITLE_LENGTH = 200;
const ELLIPSIS = '…';

/** The longest values of fields that differ by person. */
const WIDEST = { topicId: '9'.repeat(16), seq: '9'.repeat(16), unread: '999' };

/**
 * Creates a function that cuts a message until `write(data)` fits into `limit` bytes of UTF-8. The
 * link goes first (the inbox has it), then text, between graphemes; ids, times and answers stay.
 * The last cut of each language is cached, because a large message asks for it thousands of times.
 */
export function createPayloadCutter(limit: number, write: WritePayload): FitToLength {
  const lastCuts = new Map<string, { pushKey: string; cutText: Partial<TopicMessageData> }>();
  return (data) => {
    const { messageId, round = '', title, lang = '', closes = '' } = data;
    const pushKey = JSON.stringify([messageId, round, title, closes.length]);
    let lastCut = lastCuts.get(lang);
    if (lastCut?.pushKey !== pushKey) {
      lastCut = { pushKey, cutText: findFittingChange({ ...data, ...WIDEST }, limit, write) };
      lastCuts.set(lang, lastCut);
    }
    return { ...data, ...lastCut.cutText };
  };
}

/** The changes that make it fit. */
function findFittingChange(
  data: TopicMessageData,
  limit: number,
  write: WritePayload,
): Partial<TopicMessageData> {
  const isWithinLimit = (change: Partial<TopicMessageData>) =>
    Buffer.byteLength(write({ ...data, ...change })) <= limit;
  if (isWithinLimit({})) return {};
  const url = data.url === undefined ? {} : { url: '' };
  if (isWithinLimit(url)) return url;

  const title = cutText(splitCharacters(data.title, limit), MAX_TITLE_LENGTH);
  const body = splitCharacters(data.body, limit);
  const withBody = (count: number) => ({ ...url, title, body: cutText(body, count) });
  // Binary search, because JSON escapes make the size of a character unpredictable.
  let fittingCount = 0;
  let tooMany = body.length + 1;
  while (tooMany - fittingCount > 1) {
    const middle = (fittingCount + tooMany) >> 1;
    if (isWithinLimit(withBody(middle))) fittingCount = middle;
    else tooMany = middle;
  }
  return withBody(fittingCount);
}

const segmenter = new Intl.Segmenter(undefined, { granularity: 'grapheme' });

/** Graphemes of the part that could fit, because segmenting is slow. */
function splitCharacters(text: string, limit: number): string[] {
  return Array.from(segmenter.segment(text.slice(0, limit + 1)), ({ segment }) => segment);
}

function cutText(text: string[], count: number): string {
  return text.length <= count ? text.join('') : text.slice(0, count).join('') + ELLIPSIS;
}
