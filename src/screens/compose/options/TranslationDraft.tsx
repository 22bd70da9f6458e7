import { useEffect, useState } from 'react';
import type { NewTranslations } from '../../../shared/contract';
import type { Language } from '../../../shared/languages';
import { canTranslate, translateTexts } from '../../../platform/translator';
import type { ComposedMessage } from '../../../state/messages/composing';
import { MAX_ANSWER_LENGTH, MAX_MESSAGE_LENGTH, MAX_TITLE_LENGTH } from '../message-lengths';

type Translation = NonNullable<NewTranslations[Language]>;

interface Props {
  name: string;
  lang: Language;
  draft: Pick<ComposedMessage, 'title' | 'message' | 'answers'>;
  /** A suggestion becomes a translation only here. */
  onUse: (translation: Translation) => void;
}

/** A translation by the browser, which is no part of the message until the person confirms it. */
export function TranslationDraft({ name, lang, draft, onUse }: Props) {
  const [offered, setOffered] = useState(false);
  const [busy, setBusy] = useState(false);
  const [failed, setFailed] = useState(false);
  const [suggestion, setSuggestion] = useState<{ sourceText: string; translation: Translation }>();
  const { title, message, answers } = draft;
  const texts = [title, message, ...answers];
  const source = JSON.stringify(texts);
  useEffect(() => {
    let current = true;
    void canTranslate(lang).then((can) => current && setOffered(can));
    return () => {
      current = false;
    };
  }, [lang]);

  async function translate() {
    setBusy(true);
    setFailed(false);
    try {
      const [newTitle = '', newMessage = '', ...newAnswers] = await translateTexts(texts, lang);
      setSuggestion({
        sourceText: source,
        translation: {
          message: newMessage.slice(0, MAX_MESSAGE_LENGTH),
          ...(newTitle && { title: newTitle.slice(0, MAX_TITLE_LENGTH) }),
          ...(answers.length > 0 && {
            answers: answers.map((answer, place) => {
              const ownAnswer = newAnswers[place] ?? '';
              return ownAnswer && ownAnswer.length <= MAX_ANSWER_LENGTH ? ownAnswer : answer;
            }),
          }),
        },
      });
    } catch {
      setFailed(true);
    }
    setBusy(false);
  }

  if (!offered) return null;
  // The text may have changed since.
  const shownTranslation = suggestion?.sourceText === source ? suggestion.translation : undefined;
  if (!shownTranslation)
    return (
      <p>
        <button
          type="button"
          className="plain"
          aria-busy={busy || undefined}
          disabled={busy || !message.trim()}
          onClick={() => void translate()}
        >
          {busy ? 'Translating…' : 'Translate with this browser'}
        </button>
        {failed && <small role="alert">Your browser couldn’t translate this. Try again.</small>}
      </p>
    );
  return (
    <section className="note" aria-label={`Draft in ${name}`}>
      <span className="chip">Draft</span>
      <div lang={lang} dir="auto">
        {shownTranslation.title && (
          <p>
            <b>{shownTranslation.title}</b>
          </p>
        )}
        <p className="lines">{shownTranslation.message}</p>
        {shownTranslation.answers && (
          <p>
            {shownTranslation.answers.map((answer, place) => (
              <span key={answers[place]}>
                {place > 0 && ' · '}
                <bdi>{answer}</bdi>
              </span>
            ))}
          </p>
        )}
      </div>
      <p>
        <small>Your browser translated this. Check it before you use it.</small>
      </p>
      <button
        type="button"
        onClick={() => {
          setSuggestion(undefined);
          onUse(shownTranslation);
        }}
      >
        Use this translation
      </button>{' '}
      <button type="button" className="plain" onClick={() => setSuggestion(undefined)}>
        Discard draft
      </button>
    </section>
  );
}
