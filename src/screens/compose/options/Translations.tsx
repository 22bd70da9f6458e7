import { LANGUAGES } from '../../../shared/languages';
import type { NewTranslations } from '../../../shared/contract';
import type { Language } from '../../../shared/languages';
import type { ComposedMessage } from '../../../state/messages/composing';
import { hasTranslator } from '../../../platform/translator';
import { GrowingText } from '../../../ui/forms/GrowingText';
import { lazy } from '../../../ui/lazy';
import { Select } from '../../../ui/forms/Select';
import { languageLabel, languageName } from '../../../ui/values/language-label';
import { MAX_ANSWER_LENGTH, MAX_MESSAGE_LENGTH, MAX_TITLE_LENGTH } from '../message-lengths';

/** Few browsers have a translator. */
const TranslationDraft = lazy(() =>
  import('./TranslationDraft').then((module) => module.TranslationDraft),
);

type Translation = NonNullable<NewTranslations[Language]>;

type DraftTexts = TranslationsProps['draft'];

export interface TranslationsProps {
  /** If `answers` is missing, only the text is translated. */
  draft: Pick<ComposedMessage, 'title' | 'message' | 'answers' | 'translations'>;
  onChange: (part: { translations: NewTranslations }) => void;
}

/** The message in other languages, written by hand. Answers count by their place. */
export function Translations({ draft, onChange }: TranslationsProps) {
  const { translations = {} } = draft;
  const missingLanguages = LANGUAGES.filter(({ code }) => !translations[code]);
  const setTranslation = (code: Language, translation: Translation | undefined) => {
    const { [code]: _before, ...others } = translations;
    onChange({ translations: translation ? { ...others, [code]: translation } : others });
  };
  return (
    <fieldset>
      <legend>Translations</legend>
      <p>
        <small>
          People get the message in their language if you add it here. Otherwise, they get your
          original.
        </small>
      </p>
      {LANGUAGES.map(({ code }) => {
        const translation = translations[code];
        return (
          translation && (
            <OneLanguage
              key={code}
              name={languageName(code)}
              lang={code}
              translation={translation}
              draft={draft}
              onChange={(newTranslation) => setTranslation(code, newTranslation)}
            />
          )
        );
      })}
      {missingLanguages.length > 0 && (
        <Select
          label="Add a language"
          name="language"
          options={[
            ['', 'Choose a language'],
            ...missingLanguages.map(
              (language) => [language.code, languageLabel(language)] as const,
            ),
          ]}
          value=""
          onChoose={(code) => code && setTranslation(code, { message: '' })}
        />
      )}
    </fieldset>
  );
}

interface LanguageProps {
  name: string;
  lang: Language;
  translation: Translation;
  draft: DraftTexts;
  /** Undefined removes the translation. */
  onChange: (translation: Translation | undefined) => void;
}

function OneLanguage({ name, lang, translation, draft, onChange }: LanguageProps) {
  const { answers } = draft;
  const { message, title = '', answers: translatedAnswers = [] } = translation;
  const answer = (place: number, text: string) => {
    const newAnswers = answers.map((_, at) =>
      at === place ? text : (translatedAnswers[at] ?? ''),
    );
    const { answers: _before, ...rest } = translation;
    // If none is translated, people see the answers as they are.
    onChange(newAnswers.some(Boolean) ? { ...rest, answers: newAnswers } : rest);
  };
  return (
    <fieldset aria-label={name}>
      {hasTranslator() && !message && (
        <TranslationDraft name={name} lang={lang} draft={draft} onUse={onChange} />
      )}
      <label>
        Title in {name}
        <input
          type="text"
          autoComplete="off"
          dir="auto"
          lang={lang}
          maxLength={MAX_TITLE_LENGTH}
          value={title}
          onInput={({ currentTarget }) => onChange({ ...translation, title: currentTarget.value })}
        />
      </label>
      {/* biome-ignore lint/a11y/noLabelWithoutControl: GrowingText is the textarea */}
      <label>
        Message in {name}
        <GrowingText
          rows={[3, 6]}
          lang={lang}
          maxLength={MAX_MESSAGE_LENGTH}
          required
          value={message}
          onText={(text) => onChange({ ...translation, message: text })}
        />
      </label>
      {answers.map((original, place) => (
        <label key={original}>
          Answer “<bdi>{original}</bdi>” in {name}
          <input
            type="text"
            autoComplete="off"
            dir="auto"
            lang={lang}
            maxLength={MAX_ANSWER_LENGTH}
            required={translatedAnswers.some(Boolean)}
            value={translatedAnswers[place] ?? ''}
            onInput={({ currentTarget }) => answer(place, currentTarget.value)}
          />
        </label>
      ))}
      <button type="button" className="plain" onClick={() => onChange(undefined)}>
        Remove {name}
      </button>
    </fieldset>
  );
}
