// Answers that call for help, in each of the app's languages: people of several languages send and
// answer. The lists are closed, so that “No help needed” or “Help is on the way” never match.

/** Case, accents, punctuation and emoji make no difference. */
const simplify = (text: string): string =>
  text
    .toLowerCase()
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim();

/** How such an answer begins. */
const BEGINNINGS = [
  'need help',
  'I need help',
  'we need help',
  'need assistance',
  'I need assistance',
  'brauche Hilfe',
  'ich brauche Hilfe',
  'wir brauchen Hilfe',
  'benötige Hilfe',
  'ich benötige Hilfe',
  'necesito ayuda',
  'necesitamos ayuda',
  'besoin d’aide',
  'j’ai besoin d’aide',
  'nous avons besoin d’aide',
  'potrzebuję pomocy',
  'potrzebujemy pomocy',
  'أحتاج إلى مساعدة',
  'أحتاج مساعدة',
  'نحتاج إلى مساعدة',
].map(simplify);

/** The whole of such an answer. */
const WORDINGS = new Set(
  [
    ...[
      'help',
      'help me',
      'help please',
      'please help',
      'help needed',
      'send help',
      'SOS',
      'S.O.S.',
    ],
    ...['please send help', 'mayday', 'emergency'],
    ...['Hilfe', 'Hilfe bitte', 'bitte Hilfe', 'Hilfe benötigt', 'Hilfe schicken', 'Notfall'],
    ...['ayuda', 'ayuda por favor', 'envíen ayuda', 'socorro', 'auxilio', 'emergencia'],
    ...['aide', 'à l’aide', 'aidez-moi', 'au secours', 'envoyez de l’aide', 'urgence'],
    ...['pomocy', 'pomoc', 'na pomoc', 'potrzebna pomoc', 'wyślijcie pomoc', 'ratunku'],
    ...['nagły wypadek', 'مساعدة', 'ساعدوني', 'النجدة', 'أرسلوا المساعدة', 'طوارئ', 'حالة طارئة'],
  ].map(simplify),
);

/** Whether an answer calls for help in one of the app's languages. */
export const asksForHelp = (answer: string): boolean => {
  const text = simplify(answer) || (answer.includes('🆘') ? 'sos' : '');
  return WORDINGS.has(text) || BEGINNINGS.some((start) => `${text} `.startsWith(`${start} `));
};
