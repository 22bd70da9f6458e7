import { delayText } from '../../ui/values/duration';

/** Two minutes are few enough to be told in seconds. */
export const secondsText = (seconds: number | null): string =>
  seconds === null ? '-' : seconds < 180 ? `${Math.round(seconds)} s` : delayText(seconds * 1000);
