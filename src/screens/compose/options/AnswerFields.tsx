import { useLayoutEffect, useRef, useState } from 'react';
import { lazy } from '../../../ui/lazy';
import { PickedItems } from '../PickedItems';
import type { FieldProps } from './TextFields';
import { LOCK_SCREEN_ANSWERS, MAX_ANSWER_LENGTH } from '../message-lengths';

/** Loaded on demand, because the largest screen has no room for the list of wordings. */
const HelpAnswers = lazy(() => import('./HelpAnswers').then((module) => module.HelpAnswers));

const ANSWER_LABELS = {
  remove: (name: string) => `Remove answer ${name}`,
  first: (name: string) => `Move answer ${name} to the top`,
};
const MAX_ANSWERS = 3;
const SUGGESTED_ANSWERS = [
  ['Yes', 'No'],
  ['Safe', 'Need help'],
] as const;

/** Up to three buttons to answer with; without any, no answer is requested. */
export function AnswerFields({ draft, onChange: changeDraft, invalid, error }: FieldProps) {
  const { answers } = draft;
  const onChange = (changed: readonly string[]) => changeDraft({ answers: changed });
  const [text, setText] = useState('');
  const field = useRef<HTMLInputElement>(null);
  const box = useRef<HTMLFieldSetElement>(null);
  /** After the answers change, the pressed button may be gone or moved, so focus is set again. */
  const refocus = useRef(false);
  useLayoutEffect(() => {
    if (refocus.current) (field.current ?? box.current?.querySelector('button'))?.focus();
    refocus.current = false;
  }, [answers]);
  const full = answers.length >= MAX_ANSWERS;
  /** Called on blur, too, so that typed text is not lost. */
  function addAnswer() {
    const answer = text.trim();
    if (answer && !answers.includes(answer)) onChange([...answers, answer]);
    setText('');
  }
  function removeAnswer(index: number) {
    refocus.current = true;
    onChange(answers.filter((_, at) => at !== index));
  }
  function putFirst(index: number) {
    refocus.current = true;
    const keptAnswer = answers.slice(index, index + 1);
    onChange([...keptAnswer, ...answers.filter((_, at) => at !== index)]);
  }
  const [firstAnswer, secondAnswer] = answers;
  return (
    <fieldset ref={box}>
      <legend>
        Answers <span className="muted">(up to 3)</span>
      </legend>
      <PickedItems
        labels={ANSWER_LABELS}
        names={answers.map((name) => ({ key: name, name }))}
        onRemove={removeAnswer}
        onFirst={putFirst}
      />
      {!full && (
        <div className="bar adding">
          <input
            ref={field}
            type="text"
            name="answers"
            aria-label="Add an answer"
            placeholder="Add an answer"
            autoComplete="off"
            dir="auto"
            maxLength={MAX_ANSWER_LENGTH}
            value={text}
            onInput={({ currentTarget }) => setText(currentTarget.value)}
            onBlur={addAnswer}
            onKeyDown={(event) => {
              if (event.key !== 'Enter') return;
              event.preventDefault();
              addAnswer();
            }}
            {...invalid('answers')}
          />
          <button type="button" className="plain" onClick={addAnswer}>
            Add
          </button>
        </div>
      )}
      <div className="choice inline">
        <small>Suggestions</small>
        {SUGGESTED_ANSWERS.map((answerPair) => (
          <button
            key={answerPair[0]}
            type="button"
            className="plain"
            onClick={() => onChange(answerPair)}
          >
            {answerPair.join(' / ')}
          </button>
        ))}
      </div>
      {answers.length > 0 && <HelpAnswers draft={draft} onChange={changeDraft} />}
      <small role="status">
        {full
          ? '3 of 3 answers. Remove one to add another.'
          : !answers.length && 'No answer requested.'}
        {answers.length > LOCK_SCREEN_ANSWERS && (
          <>
            <br />
            Android shows the first two on the lock screen: <bdi>{firstAnswer}</bdi> and{' '}
            <bdi>{secondAnswer}</bdi>. The app shows all three.
          </>
        )}
      </small>
      {error('answers')}
    </fieldset>
  );
}
