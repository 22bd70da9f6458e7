import { within } from './within';

/** A browser that has not told by then is not waited for. */
const LIMIT_MS = 1000;
/** The server keeps no more of it. */
const MAX_LENGTH = 64;

/** TypeScript's library leaves it out: Chromium's browsers alone have it. */
interface UserAgentData {
  getHighEntropyValues(hints: string[]): Promise<{ model?: unknown }>;
}

/** The phone's model, such as `SM-A047F`; empty where the browser does not tell it. Never rejects. */
export async function phoneModel(): Promise<string> {
  const { userAgentData } = navigator as { userAgentData?: UserAgentData };
  try {
    const asked = userAgentData?.getHighEntropyValues(['model']);
    const { model } = (asked && (await within(LIMIT_MS, asked, 'The model was not told'))) ?? {};
    return typeof model === 'string' ? model.slice(0, MAX_LENGTH) : '';
  } catch (error) {
    console.info('The phone does not tell its model', error);
    return '';
  }
}
