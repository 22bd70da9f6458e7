import { withTimeout } from './with-timeout';

const MODEL_TIMEOUT_MS = 1000;
/** The server's limit. */
const MAX_MODEL_LENGTH = 64;

/** TypeScript's library lacks this interface, because only Chromium has it. */
interface UserAgentData {
  getHighEntropyValues(hints: string[]): Promise<{ model?: unknown }>;
}

/**
 * The phone's model, such as `SM-A047F`; empty if the browser hides it. The promise never rejects.
 */
export async function phoneModel(): Promise<string> {
  const { userAgentData } = navigator as { userAgentData?: UserAgentData };
  try {
    const answer = userAgentData?.getHighEntropyValues(['model']);
    const { model } =
      (answer &&
        (await withTimeout(MODEL_TIMEOUT_MS, answer, 'The browser did not report the model'))) ??
      {};
    return typeof model === 'string' ? model.slice(0, MAX_MODEL_LENGTH) : '';
  } catch (error) {
    console.info('The phone does not report its model', error);
    return '';
  }
}
