/**
 * How answers that call for help begin, in each of the app's languages and in lower case: people of
 * several languages send and answer.
 */
export const HELP_ANSWERS = [
  'need help',
  'i need help',
  'brauche hilfe',
  'ich brauche hilfe',
  'necesito ayuda',
  'besoin d’aide',
  'j’ai besoin d’aide',
  'potrzebuję pomocy',
  'أحتاج إلى مساعدة',
] as const;

export const asksForHelp = (answer: string): boolean => {
  const text = answer.toLowerCase().replaceAll("'", '’');
  return HELP_ANSWERS.some((start) => text.startsWith(start));
};
