/** Such as `29%`, and `29 %` in German. */
export const percentText = (share: number): string =>
  share.toLocaleString(LANGUAGE === 'en' ? [] : LOCALE, { style: 'percent' });
