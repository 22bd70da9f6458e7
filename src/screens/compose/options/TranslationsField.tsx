import { lazy } from '../../../ui/lazy';
import type { TranslationsProps } from './Translations';

/** The code loads on demand, because most messages have no translations. */
const Translations = lazy(() => import('./Translations').then((module) => module.Translations));

/** A button that adds translations, then their fields. */
export const TranslationsField = ({ draft, onChange }: TranslationsProps) =>
  draft.translations ? (
    <Translations draft={draft} onChange={onChange} />
  ) : (
    <p>
      <button type="button" className="plain" onClick={() => onChange({ translations: {} })}>
        Add translations
      </button>
    </p>
  );
