import { delayText, secondsText as shortText } from '../../ui/values/duration';

/** Seconds are easier to read up to three minutes. */
export const secondsText = (seconds: number | null): string =>
  seconds === null ? '-' : seconds < 180 ? shortText(seconds) : delayText(seconds * 1000);
