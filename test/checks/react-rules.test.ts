import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { reactFaults } from './react-rules.mjs';

const test = suite('rules of React');

const faultsOf = (sources: Record<string, string>): string[] =>
  reactFaults(Object.keys(sources), (file: string) => sources[file] ?? '');
const faultOf = (element: string): string | undefined =>
  faultsOf({ 'src/ui/Part.tsx': `export const Part = () => ${element};` })[0];

const DIFFERENT: Record<string, [breach: string, alike: string[]]> = {
  'onChange of a text field': [
    '<input type="text" onChange={act} />',
    [
      '<input type="text" onInput={act} />',
      '<input type="checkbox" onChange={act} />',
      '<select onChange={act} />',
      '<Picker onChange={act} />',
    ],
  ],
  'onChange of a text field of several lines': ['<textarea onChange={act} />', []],
  'onChange of a field whose type is not written there': [
    '<input type={kind} onChange={act} />',
    [],
  ],
  'onFocus of what holds others': [
    '<div onFocus={act} />',
    ['<div onFocusCapture={act} />', '<input onFocus={act} />'],
  ],
  'onBlur of what holds others': ['<form onBlur={act} />', ['<input onBlur={act} />']],
  onDoubleClick: ['<p onDoubleClick={act} />', ['<p onClick={act} />']],
  'an attribute of a drawing in one word': [
    '<path strokeWidth="2" />',
    ['<path stroke-width="2" fill="none" />', '<svg viewBox="0 0 1 1" />', '<Line strokeWidth />'],
  ],
  'the default value of a list': [
    '<select defaultValue="a" />',
    ['<select value="a" />', '<input defaultValue="a" />'],
  ],
  'a default value beside a value': ['<input value="a" defaultValue="b" />', []],
  'a list of several': ['<select multiple />', ['<input multiple />']],
  'a download without a name': ['<a download />', ['<a download="users.csv" />']],
  autoFocus: ['<input autoFocus />', ['<Field autoFocus />']],
  translate: ['<p translate="no" />', []],
  'a length that is a number': [
    '<p style={{ width: 5 }} />',
    ["<p style={{ width: '5px', color }} />"],
  ],
  'a style that is not written out': ['<p style={given} />', []],
};
for (const [name, [breach, alike]] of Object.entries(DIFFERENT)) {
  test(`reports ${name}, and nothing that React and Preact both accept`, () => {
    assert.match(faultOf(breach) ?? '', /^src\/ui\/Part\.tsx:1: /);
    for (const each of alike) assert.is(faultOf(each), undefined, each);
  });
}

test('reports reads of what only React adds to events', () => {
  for (const name of ['nativeEvent', 'isDefaultPrevented', 'isPropagationStopped'])
    assert.match(
      faultsOf({ 'src/ui/act.ts': `export const act = (event) => event.${name};` })[0],
      name,
    );
});

test('allows imports from Preact in the two files that replace React only', () => {
  const source =
    "import { options } from 'preact';\nimport { signal } from '@preact/signals-core';";
  assert.is(faultsOf({ 'src/ui/Part.tsx': source }).length, 2);
  assert.equal(faultsOf({ 'src/platform/react/signals.ts': source }), []);
  assert.equal(
    faultsOf({ 'src/ui/Part.tsx': source.replaceAll(/'.*'/g, "'@preact/signals-react'") }),
    [],
  );
});

test('reports a signal rendered without its value, from this file or another', () => {
  const state = 'export const rows = signal([]);\nexport const other = [];';
  const shown = (expression: string) =>
    faultsOf({
      'src/state/rows.ts': state,
      'src/ui/Part.tsx': `import { other, rows } from '../state/rows';
const own = computed(() => 1);
export const Part = () => <p title={${expression}}>{${expression}}</p>;`,
    }).length;
  assert.is(shown('rows'), 2);
  assert.is(shown('own'), 2);
  assert.is(shown('rows.value'), 0);
  assert.is(shown('other'), 0);
});

test('reports a component without JSX unless it declares that it uses signals', () => {
  const source = 'export const Day = ({ iso }) => day(iso);';
  assert.match(faultsOf({ 'src/ui/values/Day.tsx': source })[0], 'Day holds no JSX');
  assert.equal(faultsOf({ 'src/ui/values/Day.tsx': `/** A day. @useSignals */\n${source}` }), []);
  assert.equal(faultsOf({ 'src/ui/values/Day.tsx': source.replace('Day', 'day') }), []);
});

test.run();
