import { LANGUAGES, type Language } from '../../../shared/languages';
import type { SentMessage } from '../../../shared/contract';
import { getMessageArea } from '../../../state/messages/call-area';
import { LANGUAGES_FAILED, readMessageLanguages } from '../../../state/messages/message-languages';
import { useLoad } from '../../lists/use-load';

/**
 * A language by its own name.
 * @param code null: as it was written
 */
function LanguageName({ code }: { code: Language | null }) {
  const language = LANGUAGES.find((candidate) => candidate.code === code);
  return language ? <bdi lang={language.code}>{language.name}</bdi> : <span>Original</span>;
}

interface Props {
  message: SentMessage;
  /** The chosen language, undefined for all languages. */
  code?: Language | null;
}

/** How many people read a translated message in which language, or the name of one of them. */
export const Languages = ({ message, code }: Props) =>
  code === undefined ? <LanguageCounts message={message} /> : <LanguageName code={code} />;

function LanguageCounts({ message }: Props) {
  const { id, people } = message;
  const {
    value = [],
    failure,
    reload,
  } = useLoad(
    people.total,
    () => readMessageLanguages(getMessageArea(message), id),
    LANGUAGES_FAILED,
  );
  if (failure)
    return (
      <p>
        <small role="alert">
          {failure}{' '}
          <button type="button" className="quiet" onClick={reload}>
            Retry
          </button>
        </small>
      </p>
    );
  if (value.length < 2) return null;
  return (
    <p>
      <small>
        Languages:{' '}
        {value.map(({ language, people: count }, index) => (
          <span key={String(language)}>
            {index > 0 && ' · '}
            <b>
              <LanguageName code={language} />
            </b>{' '}
            {count.toLocaleString()}
          </span>
        ))}
      </small>
    </p>
  );
}
