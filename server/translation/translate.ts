import type { ErrorBody } from '../../src/shared/contract';
import { isolateDirection } from '../../src/shared/isolate-direction';
import type { Language } from '../../src/shared/languages';
import ar from '../languages/ar.json';
import de from '../languages/de.json';
import es from '../languages/es.json';
import fr from '../languages/fr.json';
import pl from '../languages/pl.json';

/** English sentence → translation. Values are `{0}`, `{1}`. */
type Catalog = Readonly<Partial<Record<string, string>>>;

const catalogs: Record<Exclude<Language, 'en'>, Catalog> = { de, es, fr, pl, ar };
const findTranslation = (key: string, language: Language): string | undefined => {
  const catalog = language === 'en' ? undefined : catalogs[language];
  return catalog !== undefined && Object.hasOwn(catalog, key) ? catalog[key] : undefined;
};

/**
 * Translates a sentence, or returns it in English without a translation. It isolates names, so
 * that right-to-left names do not reorder the sentence.
 */
export const translate = (key: string, language: Language, ...values: readonly string[]): string =>
  (findTranslation(key, language) ?? key).replace(/\{(\d)\}/g, (placeholder, index) => {
    const value = values[Number(index)];
    return value === undefined ? placeholder : isolateDirection(value, language);
  });

/** Texts about lines of an import and about a sent message. The more specific one comes first. */
const IMPORT_AND_SEND_TEXTS = [
  'Sent, but no one is being notified: none of the {0} subscribers has a device with notifications enabled for this topic.',
  'Sent, but no one is being notified: none of the {0} people has a device with notifications enabled.',
  'The line has {0} cells, but the first line has {1}. Put text that contains “{2}” in quotes.',
  '“{0}” already exists with a different email address. Leave the email empty on this line.',
  '“{0}” already exists with no email address. Leave the email empty on this line.',
  '“{0}” already exists as a technician. Change the role in Users.',
  '“{0}” already exists as a customer. Change the role in Users.',
  '“{0}” already exists as an admin. Change the role in Users.',
  '“{0}” is not a role. Use technician, customer or admin.',
  'The line has {0} cells, but the first line has {1}.',
  'The topic “{0}” does not exist. Did you mean “{1}”?',
  '{0} will be notified when their quiet hours end.',
  '{0} of {1} subscribers are being notified.',
  'Another user has the email address “{0}”.',
  'No one was added: {0} lines have errors.',
  '{0} of {1} subscriber is being notified.',
  'Sent to {0} of {1} people.',
  '{0} are not reachable.',
  '{0} is not reachable.',
  'The topic “{0}” does not exist.',
  '“{0}” is already on line {1}.',
  '“{0}” matches {1} topics. Rename one of them, or use its exact capitalization.',
  'Sent to {0} subscribers.',
  'Sending in {0} seconds.',
  'Sending in {0} second.',
  '{0} more topics could not be identified.',
  '{0} more topic could not be identified.',
  'Sent to {0} people.',
  'Sent to {0} person.',
];

/** Errors about a whole file that cannot be imported. */
const IMPORTED_FILE_TEXTS = [
  'The file has more than {0} team memberships. Import it in parts: split it before line {1}.',
  'The file has more than {0} subscriptions. Import it in parts: split it before line {1}.',
  'The file has more than {0} people. Import it in parts: split it before line {1}.',
  'The file has more than {0} teams. Import it in parts: split it before line {1}.',
  'The file has more than {0} lines. Remove the empty ones, or import it in parts.',
  'The first line has more than {0} columns. Remove those that are not needed.',
  'Unknown column “{0}”. Allowed columns: username, email, role, topics, teams.',
  'Unknown columns {0} and {1} more. Allowed columns: username, email, role, topics, teams.',
  'Unknown columns {0}. Allowed columns: username, email, role, topics, teams.',
  'Unknown column “{0}”. Did you mean “{1}”?',
  'The column “{0}” appears twice.',
];

/** Errors with values. Many begin with the name of a field: `Username is required.` */
const WITH_VALUES = [
  ...IMPORT_AND_SEND_TEXTS,
  ...IMPORTED_FILE_TEXTS,
  '{0} is too long. Use {1} characters or fewer.',
  '{0} is required.',
  '{0} is too long.',
  '{0} must be a single line.',
  '{0} must be a single value.',
  '{0} must be a positive whole number.',
  '{0} must be text.',
  '{0} must be a number.',
  '{0} must be true or false.',
  '{0} must be a list.',
  '{0} must be one of {1}.',
  '{0} contains control characters, which are not allowed.',
  'At most {0} people can be added as senders of a topic.',
  'At most {0} teams can be added as senders of a topic.',
  'A list can have at most {0} IDs.',
  'At most {0} people can be changed at once.',
  'At most {0} people can be tested at once.',
  'At most {0} rules can be saved.',
  'At most {0} teams can be changed at once.',
  'Use {0} to sign in on the new phone.',
  'There are already {0} policies. Please delete one first.',
  'There are already {0} templates. Please delete one first.',
  'There are already {0} webhooks. Please delete one first.',
  'This topic already has {0} keys. Please revoke one first.',
  'There is already a team “{0}”. Please choose another name.',
  '{0} is subscribed through the team “{1}”. Remove the person from the team, or unsubscribe the team from the topic.',
  '{0} of these people are subscribed through a team, such as {1} through “{2}”. Remove them from the team, or unsubscribe the team from the topic.',
  'The policy “{0}” notifies this topic. Please change the policy first.',
  'The policy “{0}” calls this webhook. Please change the policy first.',
  'This user does not exist: {0}.',
  'These users do not exist: {0}.',
  'This team does not exist: {0}.',
  'These teams do not exist: {0}.',
  '{0} must be a whole number from {1} to {2}.',
  'Password sign-in is disabled. Sign in with {0}.',
  'The body must not be larger than {0}.',
  'The body must not have more than {0} values.',
].map((key) => ({
  key,
  pattern: new RegExp(
    `^${key.replace(/[.?]/g, String.raw`\$&`).replace(/\{\d\}/g, '(.+?)')}$`,
    'u',
  ),
}));
const ENGLISH_NUMBER = /^\d{1,3}(,\d{3})*$/;
/** Matches names that a sentence lists. */
const QUOTED_LIST = /^“.*”$/u;
const QUOTED = '“{0}”';
const quoteName = (name: string, language: Language): string =>
  (findTranslation(QUOTED, language) ?? QUOTED).replace('{0}', () => name);

function translateError(text: string, language: Language): string {
  if (language === 'en' || findTranslation(text, language) !== undefined)
    return translate(text, language);
  for (const { key, pattern } of WITH_VALUES) {
    const match = pattern.exec(text);
    if (match === null) continue;
    const values = match.slice(1).map((value, place) => {
      if (ENGLISH_NUMBER.test(value))
        return Number(value.replaceAll(',', '')).toLocaleString(`${language}-u-nu-latn`);
      if (QUOTED_LIST.test(value))
        return value.replace(/“([^“”]*)”/gu, (_, name: string) => quoteName(name, language));
      return place === 0 && key.startsWith('{0}') ? translate(value, language) : value;
    });
    return translate(key, language, ...values);
  }
  return text;
}

/** Translates each of the sentences, and joins them. */
export const translateSentences = (sentences: readonly string[], language: Language): string =>
  sentences.map((text) => translateError(text, language)).join(' ');

/** What the response to a sent message says; its sentences hold only numbers. */
export const translateSent = <Sent extends { message: string }>(
  sentMessage: Sent,
  language: Language,
): Sent => ({
  ...sentMessage,
  message: translateSentences(sentMessage.message.split(/(?<=\.) /), language),
});

/** The sentences of an error. Paths stay, they are names of fields. */
export const translateErrors = (error: ErrorBody['error'], language: Language) =>
  typeof error === 'string'
    ? translateError(error, language)
    : error.map((problem) => ({ ...problem, message: translateError(problem.message, language) }));
