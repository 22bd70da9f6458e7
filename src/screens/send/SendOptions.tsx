import type { FieldProps } from '../compose/options/TextFields';
import { AnswerFields } from '../compose/options/AnswerFields';
import { LinkField } from '../compose/options/LinkField';
import { TitleField } from '../compose/options/TextFields';
import { TranslationsField } from '../compose/options/TranslationsField';
import { WhenFields } from '../compose/options/WhenFields';

/** What most messages do not need. */
export function SendOptions(fieldProps: FieldProps) {
  const { draft, onChange, invalid, error } = fieldProps;
  return (
    <div>
      <TitleField {...fieldProps} />
      <AnswerFields {...fieldProps} />
      <TranslationsField draft={draft} onChange={onChange} />
      <LinkField
        value={draft.link}
        onChange={(link) => onChange({ link })}
        invalid={invalid('link')}
      />
      {error('link')}
      <WhenFields {...fieldProps} />
      {error('sendAt')}
      {error('expiresAt')}
    </div>
  );
}
