/** Formats a share: `29%`, or `29 %` in German. */
export const percentText = (share: number): string =>
  share.toLocaleString(LANGUAGE === 'en' ? [] : LOCALE, { style: 'percent' });
