import { useEffect, useState } from 'react';
import { errorMessage } from '../../api/error';
import type { Language } from '../../shared/languages';
import { ownAccount } from '../../state/account/own-account';
import {
  findBrowserLanguage,
  LANGUAGE_FAILED,
  listLanguages,
  saveLanguage,
  showLanguage,
} from '../../state/language';
import { Icon } from '../../ui/Icon';
import { notify } from '../../ui/notices';
import { languageName } from '../../ui/values/language-label';

/** Builds with several languages show this section. A choice takes effect at once. */
export function LanguageSection() {
  const [busy, setBusy] = useState(false);
  const choices = listLanguages();
  const user = ownAccount.value;
  // The person may have chosen the language on another device since this page was loaded.
  useEffect(() => {
    if (user?.language) showLanguage(user.language);
  }, [user !== null]);
  if (choices.length === 0) return null;

  async function chooseLanguage(language: Language | null): Promise<void> {
    setBusy(true);
    try {
      await saveLanguage(language);
      if (ownAccount.value) ownAccount.value = { ...ownAccount.value, language };
      showLanguage(language);
    } catch (thrown) {
      notify(errorMessage(thrown, LANGUAGE_FAILED), 'bad');
    }
    setBusy(false);
  }
  const option = (language: Language | null) => ({
    type: 'radio',
    name: 'language',
    disabled: busy || !user,
    checked: user !== null && (user.language ?? null) === language,
    onChange: () => void chooseLanguage(language),
  });
  return (
    <section aria-labelledby="language">
      <h2 id="language">
        <Icon name="globe" /> Language
      </h2>
      <ul className="panel rows" aria-busy={busy || undefined}>
        <li>
          <label>
            <input {...option(null)} />
            <span>
              <b>Same as my browser</b> <span>Currently {languageName(findBrowserLanguage())}</span>
            </span>
          </label>
        </li>
        {choices.map(({ code, name }) => (
          <li key={code}>
            <label>
              <input {...option(code)} />
              <span>
                <b lang={code}>
                  <bdi>{name}</bdi>
                </b>
                {code !== document.documentElement.lang && <span>{languageName(code)}</span>}
              </span>
            </label>
          </li>
        ))}
      </ul>
      <small className="muted">
        The app, notifications and emails use this language. Messages do too if the sender
        translated them.
      </small>
    </section>
  );
}
