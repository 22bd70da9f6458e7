import type { NewTranslations } from './contract';

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
  'need urgent help',
  'I need urgent help',
  'we need urgent help',
  'urgently need help',
  'I urgently need help',
  'we urgently need help',
  'brauche Hilfe',
  'ich brauche Hilfe',
  'wir brauchen Hilfe',
  'benötige Hilfe',
  'ich benötige Hilfe',
  'wir benötigen Hilfe',
  'brauche dringend Hilfe',
  'ich brauche dringend Hilfe',
  'wir brauchen dringend Hilfe',
  'benötige dringend Hilfe',
  'ich benötige dringend Hilfe',
  'wir benötigen dringend Hilfe',
  'necesito ayuda',
  'necesitamos ayuda',
  'necesito urgentemente ayuda',
  'necesitamos urgentemente ayuda',
  'besoin d’aide',
  'j’ai besoin d’aide',
  'nous avons besoin d’aide',
  'besoin urgent d’aide',
  'j’ai un besoin urgent d’aide',
  'j’ai urgemment besoin d’aide',
  'potrzebuję pomocy',
  'potrzebujemy pomocy',
  'potrzebuję pilnie pomocy',
  'potrzebuję pilnej pomocy',
  'pilnie potrzebuję pomocy',
  'pilnie potrzebujemy pomocy',
  'أحتاج إلى مساعدة',
  'أحتاج مساعدة',
  'نحتاج إلى مساعدة',
  'أحتاج إلى المساعدة',
  'بحاجة إلى مساعدة',
  'بحاجة إلى المساعدة',
  'أنا بحاجة إلى مساعدة',
  'أنا بحاجة إلى المساعدة',
  'نحن بحاجة إلى مساعدة',
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
    ...['please send help', 'mayday', 'emergency', 'urgent help', 'help us', 'help me please'],
    ...['please help me', 'please help us', 'not safe', 'I’m not safe', 'I am not safe'],
    ...['we are not safe', 'we’re not safe', 'unsafe', 'in danger', 'I’m in danger'],
    // „Nicht sicher“ and «no seguro» also mean “not sure”.
    ...['nicht in Sicherheit', 'ich bin nicht in Sicherheit', 'in Gefahr', 'ich bin in Gefahr'],
    ...['wir sind nicht in Sicherheit', 'helfen Sie mir', 'helft mir', 'hilf mir', 'helft uns'],
    ...['dringend Hilfe', 'bitte helfen Sie mir', 'bitte helft mir', 'bitte hilf mir'],
    ...['ayúdame', 'ayúdeme', 'ayúdenme', 'ayúdanos', 'ayúdennos', 'por favor ayúdame'],
    ...['por favor ayúdenme', 'ayuda urgente', 'no estoy a salvo', 'no estamos a salvo'],
    ...['en peligro', 'estoy en peligro', 'aide-moi', 'aidez-nous', 'aide urgente'],
    ...['aidez-moi s’il vous plaît', 's’il vous plaît aidez-moi', 'pas en sécurité'],
    ...['je ne suis pas en sécurité', 'nous ne sommes pas en sécurité', 'en danger'],
    ...['je suis en danger', 'pomóż mi', 'pomóżcie mi', 'pomóż nam', 'pomóżcie nam', 'pomóżcie'],
    ...['proszę o pomoc', 'proszę pomóż mi', 'pilna pomoc', 'nie jestem bezpieczny'],
    ...['nie jestem bezpieczna', 'nie jesteśmy bezpieczni', 'w niebezpieczeństwie'],
    ...['jestem w niebezpieczeństwie', 'ساعدني', 'أرجو المساعدة', 'من فضلك ساعدني'],
    ...['مساعدة عاجلة', 'لست بأمان', 'لست في أمان', 'غير آمن', 'في خطر', 'أنا في خطر'],
    ...['Hilfe', 'Hilfe bitte', 'bitte Hilfe', 'Hilfe benötigt', 'Hilfe schicken', 'Notfall'],
    ...['ayuda', 'ayuda por favor', 'envíen ayuda', 'socorro', 'auxilio', 'emergencia'],
    ...['aide', 'à l’aide', 'aidez-moi', 'au secours', 'envoyez de l’aide', 'urgence'],
    ...['pomocy', 'pomoc', 'na pomoc', 'potrzebna pomoc', 'wyślijcie pomoc', 'ratunku'],
    ...['nagły wypadek', 'مساعدة', 'ساعدوني', 'النجدة', 'أرسلوا المساعدة', 'طوارئ', 'حالة طارئة'],
  ].map(simplify),
);

/** Guesses which answers call for help, as written or in one of the translations. */
export const findHelpAnswers = (
  answers: readonly string[],
  translations: NewTranslations = {},
): string[] =>
  answers.filter((answer, place) =>
    [
      answer,
      ...Object.values(translations).map((translation) => translation.answers?.[place] ?? ''),
    ].some(asksForHelp),
  );

/** A question with its answer, such as “Need help? No”. */
const QUESTION_WITH_ANSWER = /[?؟][^?؟\p{L}\p{N}]*[\p{L}\p{N}]/u;

/** Whether an answer calls for help in one of the app's languages. */
export const asksForHelp = (answer: string): boolean => {
  const text = simplify(answer) || (answer.includes('🆘') ? 'sos' : '');
  if (QUESTION_WITH_ANSWER.test(answer)) return false;
  return WORDINGS.has(text) || BEGINNINGS.some((start) => `${text} `.startsWith(`${start} `));
};
