import { useLayoutEffect, useRef } from 'react';
import type { ComposedMessage } from '../../../state/messages/composing';
import { findHelpAnswers } from '../../../state/messages/help-answers';

interface Props {
  draft: Pick<ComposedMessage, 'answers' | 'helpAnswers' | 'translations'>;
  onChange: (part: { helpAnswers: string[] }) => void;
}

/** Which answers call for help: at first those that the server recognizes. They count differently. */
export function HelpAnswers({ draft, onChange }: Props) {
  const { answers, helpAnswers, translations } = draft;
  const recognized = findHelpAnswers(answers, translations);
  const last = useRef(draft);
  useLayoutEffect(() => {
    const earlier = last.current;
    last.current = draft;
    // A template brings its own choice.
    if (!helpAnswers || helpAnswers !== earlier.helpAnswers) return;
    const added = recognized.filter((answer) => !earlier.answers.includes(answer));
    if (added.length > 0) onChange({ helpAnswers: [...helpAnswers, ...added] });
  });
  const chosen = helpAnswers ?? recognized;
  return (
    answers.length > 0 && (
      // biome-ignore lint/a11y/useSemanticElements: a fieldset would want a legend
      <div role="group" className="choice inline" aria-label="Answers that call for help">
        <small>Answers that call for help</small>
        {[...new Set(answers)].map((answer) => (
          <label key={answer}>
            <input
              type="checkbox"
              checked={chosen.includes(answer)}
              onChange={({ currentTarget }) =>
                onChange({
                  helpAnswers: answers.filter((each) =>
                    each === answer ? currentTarget.checked : chosen.includes(each),
                  ),
                })
              }
            />{' '}
            <bdi>{answer}</bdi>
          </label>
        ))}
        {chosen.length > 0 && <small>Shown in red. They don’t stop an escalation.</small>}
      </div>
    )
  );
}
