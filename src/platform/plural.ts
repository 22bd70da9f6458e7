/** A sentence with a number in it. Other languages have more forms (CLDR's plural rules). */
interface Forms {
  one: string;
  other: string;
}

/**
 * The form for a number: `plural(n, { one: '1 reply', other: `${n} replies` })`. Forms are literals,
 * which the build of another language replaces by its own.
 */
export const plural = (count: number, forms: Forms): string =>
  LANGUAGE === 'en'
    ? count === 1
      ? forms.one
      : forms.other
    : ((forms as unknown as Record<string, string>)[rulesOfLanguage().select(count)] ??
      forms.other);

let pluralRules: Intl.PluralRules | undefined;
const rulesOfLanguage = () => (pluralRules ??= new Intl.PluralRules(LANGUAGE));
