import { delayText, secondsText as shortSecondsText } from '../../ui/values/duration';

/** Seconds are easier to read up to three minutes. */
export const insightSecondsText = (seconds: number | null): string =>
  seconds === null ? '-' : seconds < 180 ? shortSecondsText(seconds) : delayText(seconds * 1000);
