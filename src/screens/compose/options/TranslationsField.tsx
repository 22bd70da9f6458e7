import type { NewTranslations } from '../../../shared/contract';
import type { ComposedMessage } from '../../../state/messages/composing';
import { lazy } from '../../../ui/lazy';

/** Most messages have none. */
const Translations = lazy(() => import('./Translations').then((module) => module.Translations));

export interface TranslationsProps {
  /** Without `answers`, only the text is translated. */
  writing: Pick<ComposedMessage, 'title' | 'message' | 'answers' | 'translations'>;
  onChange: (part: { translations: NewTranslations }) => void;
}

/** A button that adds translations, then their fields. */
export const TranslationsField = ({ writing, onChange }: TranslationsProps) =>
  writing.translations ? (
    <Translations writing={writing} onChange={onChange} />
  ) : (
    <p>
      <button type="button" className="plain" onClick={() => onChange({ translations: {} })}>
        Add translations
      </button>
    </p>
  );
