import { useRef, useState } from 'react';
import { Picked } from '../Picked';

const MAX_ANSWERS = 3;
const MAX_LENGTH = 24;

/** Up to three buttons to answer with; without any, no answer is requested. */
export function AnswerFields({
  answers,
  onChange,
  invalid,
}: {
  answers: readonly string[];
  onChange: (answers: readonly string[]) => void;
  invalid?: object | undefined;
}) {
  const [text, setText] = useState('');
  const field = useRef<HTMLInputElement>(null);
  const full = answers.length >= MAX_ANSWERS;
  /** Also on blur, so that typed text is not lost. */
  function add() {
    const answer = text.trim();
    if (answer && !answers.includes(answer)) onChange([...answers, answer]);
    setText('');
  }
  function remove(index: number) {
    onChange(answers.filter((_, other) => other !== index));
    field.current?.focus();
  }
  return (
    <fieldset>
      <legend>
        Answers <span className="muted">(up to 3)</span>
      </legend>
      <Picked
        noun="answer "
        names={answers.map((name) => ({ key: name, name }))}
        onRemove={remove}
      />
      {!full && (
        <div className="bar adding">
          <input
            ref={field}
            type="text"
            name="answers"
            aria-label="Add an answer"
            autoComplete="off"
            dir="auto"
            maxLength={MAX_LENGTH}
            value={text}
            onInput={({ currentTarget }) => setText(currentTarget.value)}
            onBlur={add}
            onKeyDown={(event) => {
              if (event.key !== 'Enter') return;
              event.preventDefault();
              add();
            }}
            {...invalid}
          />
          <button type="button" className="plain" onClick={add}>
            Add
          </button>
        </div>
      )}
      <small>
        {full
          ? '3 of 3. Remove one to add another.'
          : answers.length
            ? `${answers.length} of 3.`
            : 'No answer requested.'}
      </small>
    </fieldset>
  );
}
