import { cleanup } from '@testing-library/preact';
import * as assert from 'uvu/assert';
import { Filters } from '../../../../src/ui/lists/Filters';
import { button, pressElement, screenSuite, showScreen } from '../../../support/app/app';

const test = screenSuite('filters');

test('folds filters, unless one is used, and counts those', () => {
  const showFilters = (...values: string[]) =>
    showScreen(<Filters values={values}>Fields</Filters>, '/');
  showFilters('', '');
  assert.is(button('Filters').getAttribute('aria-expanded'), 'false');
  pressElement(button('Filters'));
  assert.is(button('Filters').getAttribute('aria-expanded'), 'true');
  cleanup();
  showFilters('', 'ADMIN');
  assert.is(button('Filters (1)').getAttribute('aria-expanded'), 'true');
});

test.run();
