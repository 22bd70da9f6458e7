import * as assert from 'uvu/assert';
import { useState } from 'react';
import { AnswerFields } from '../../../../../src/screens/compose/options/AnswerFields';
import { EMPTY_MESSAGE } from '../../../../../src/state/messages/composing';
import {
  button,
  fireEvent,
  pressElement,
  screen,
  screenSuite,
  showScreen,
  typeInto,
  waitFor,
} from '../../../../support/app/app';

const test = screenSuite('the answers of a message');
let chosenAnswers: readonly string[] = [];

function Form() {
  const [draft, setDraft] = useState(EMPTY_MESSAGE);
  chosenAnswers = draft.answers;
  const change = (part: Partial<typeof draft>) => setDraft({ ...draft, ...part });
  const noError = () => undefined;
  return <AnswerFields draft={draft} onChange={change} invalid={noError} error={noError} />;
}
const field = () => screen.getByRole<HTMLInputElement>('textbox', { name: 'Add an answer' });

test('adds a trimmed answer once, and nothing for empty input', async () => {
  showScreen(<Form />, '/');
  for (const text of ['  ', 'Got it', ' Got it ']) {
    typeInto(field(), text);
    pressElement(button('Add'));
    await waitFor(() => assert.equal([chosenAnswers, field().value], [['Got it'], '']));
  }
  typeInto(field(), ' On my way ');
  fireEvent.keyDown(field(), { key: 'Enter' });
  await waitFor(() => assert.equal([chosenAnswers, field().value], [['Got it', 'On my way'], '']));
});

test('counts a typed answer on leaving its field, and keeps the others on removal', async () => {
  showScreen(<Form />, '/');
  typeInto(field(), 'On my way');
  fireEvent.blur(field());
  await waitFor(() => assert.equal(chosenAnswers, ['Got it', 'On my way']));
  pressElement(button('Remove answer Got it'));
  await waitFor(() => assert.equal(chosenAnswers, ['On my way']));
  assert.is(document.activeElement, field());
});

test.run();
