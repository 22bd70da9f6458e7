import type { Language } from '../../shared/languages';
import { listLanguages } from '../../state/language';
import { Select } from '../../ui/forms/Select';
import { languageLabel } from '../../ui/values/language-label';

interface Props {
  /** If the language is empty, the person's browser decides. */
  value: Language | '';
  onChoose: (language: Language | '') => void;
}

/** Shows nothing in builds with one language. */
export function InvitationLanguage({ value, onChoose }: Props) {
  const choices = listLanguages();
  if (choices.length === 0) return null;
  return (
    <Select
      label="Language of the invitation"
      name="language"
      options={[
        ['', 'Recipient’s browser language'],
        ...choices.map((choice) => [choice.code, languageLabel(choice)] as const),
      ]}
      value={value}
      onChoose={onChoose}
    />
  );
}
