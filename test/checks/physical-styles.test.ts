import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { findPhysicalLines } from './physical-styles.mjs';

test('finds each way of naming a side, and no logical one', () => {
  const css = [
    'margin-left: 1rem;',
    'border-right-color: red;',
    'right: 0;',
    'text-align: left;',
    'padding: 0 1rem 0 2rem;',
    'padding: 0 1rem 2rem 1rem;',
    'margin-inline-start: 1rem;',
    'inset-inline-end: 0;',
    'text-align: start;',
  ];
  assert.equal(findPhysicalLines(css.join('\n')), css.slice(0, 5));
});

test.run();
