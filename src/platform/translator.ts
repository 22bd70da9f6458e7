/** The browser's translator on the device (Chrome's `Translator`): no text leaves it. */

interface Pair {
  sourceLanguage: string;
  targetLanguage: string;
}
interface Translator {
  translate: (text: string) => Promise<string>;
  destroy: () => void;
}
interface TranslatorApi {
  availability: (pair: Pair) => Promise<string>;
  create: (pair: Pair) => Promise<Translator>;
}

const getTranslatorApi = () => (globalThis as { Translator?: TranslatorApi }).Translator;
export const hasTranslator = (): boolean => getTranslatorApi() !== undefined;

/** The source is the language in which the person uses the app. */
const createPair = (targetLanguage: string): Pair => ({ sourceLanguage: LANGUAGE, targetLanguage });

export const canTranslate = async (targetLanguage: string): Promise<boolean> =>
  targetLanguage !== LANGUAGE &&
  (await getTranslatorApi()
    ?.availability(createPair(targetLanguage))
    .catch(() => undefined)) !== 'unavailable';

/** Call it from a press: the browser may have to download the language. Empty texts stay empty. */
export async function translateTexts(
  texts: readonly string[],
  targetLanguage: string,
): Promise<string[]> {
  const translator = await getTranslatorApi()?.create(createPair(targetLanguage));
  if (translator === undefined) throw new TypeError();
  try {
    const translations: string[] = [];
    for (const text of texts)
      translations.push(text.trim() ? (await translator.translate(text)).trim() : '');
    return translations;
  } finally {
    translator.destroy();
  }
}
