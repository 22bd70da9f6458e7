import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { findBareStrings } from './bare-strings.mjs';

const test = suite('strings that no language translates');

const SOURCE = `
const SPANS = [['30', '30 min'], ['', 'Other']] as const;
const stateOf = (state) => (state === 'missed' ? 'late' : undefined);
const chip = (count, text) => <i>{count} {text}</i>;
const parts = (audience) => [[audience.muted, 'muted'], [audience.late, 'Late']];
const more = () => (LANGUAGE === 'en' ? 'now' : '');
export const Row = ({ state, look }) => (
  <p className="wide open">
    Open the door <b>{stateOf(state)}</b>
    <Card note="2 left" />
    <Choice options={SPANS} look="press" of={look} />
    {chip(3, 'reachable')} {more()}
    {parts(look).map(([, text]) => <i>{text}</i>)}
    <input placeholder={look || 'today'} aria-label="Search" />
  </p>
);
`;

test('reports untranslated strings that are shown through names, and ignores codes and translated texts', () => {
  assert.equal(findBareStrings(SOURCE, 'src/x.tsx'), [
    'src/x.tsx:12 “reachable” is shown but not translated',
    'src/x.tsx:5 “muted” is shown but not translated',
    'src/x.tsx:3 “late” is shown but not translated',
    'src/x.tsx:10 “2 left” is shown but not translated',
    'src/x.tsx:2 “30 min” is shown but not translated',
  ]);
});

test.run();
