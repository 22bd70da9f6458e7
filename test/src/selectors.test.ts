import { suite } from 'uvu';
import * as assert from 'uvu/assert';

/** The simple selectors of support/app/selectors.ts must find what happy-dom finds. */
const test = suite('selectors');

test.before(() => {
  document.body.innerHTML = `
    <main class="wide inbox" id="main">
      <h1 role="heading  banner">Topics</h1>
      <input><input type="checkbox" checked><input type="email" list="mails">
      <input type="CHECKBOX"><select multiple><option>1</option></select><select size="2"></select>
      <select><option value="">None</option></select>
      <a>No link</a><a href="">A link</a><a href="/messages" aria-current="page">Messages</a>
      <table><tr><th scope="col">Name</th><td class="name">Ada</td></tr></table>
      <svg aria-hidden="true"><title>Arrow</title><linearGradient class="wide" /></svg>
      <div role="button" data-name="a b">Press</div><custom-part class="part"></custom-part>
    </main>`;
});
test.after(() => document.body.replaceChildren());

const SELECTORS = [
  '*',
  'a',
  'A[href]',
  'a[href=""]',
  'select:not([multiple]):not([size])',
  'input:not([type]):not([list]), input[type="checkbox"],input[type=email]:not([list])',
  'input[type=submit], input[type=button], input[type=reset]',
  'input:not([type="checkbox"])',
  '*[role~="button"],button',
  '[role~="banner"]',
  'th[scope="col"],th[scope]',
  'svg, title, lineargradient',
  '.wide',
  'h1.wide,main.wide.inbox',
  '[data-name="a b"]',
  '[data-name~="b"]',
  'script, style',
];

for (const selector of SELECTORS) {
  // No longer simple.
  const complexSelector = selector
    .split(/,\s*/)
    .map((part) => `:is(${part})`)
    .join(',');
  test(`finds the same as happy-dom for ${selector}, in page order`, () => {
    const foundElements = [...document.body.querySelectorAll(selector)];
    assert.equal(
      foundElements.map(({ outerHTML }) => outerHTML),
      [...document.body.querySelectorAll(complexSelector)].map(({ outerHTML }) => outerHTML),
    );
    for (const element of document.body.querySelectorAll(':is(*)'))
      assert.is(element.matches(selector), element.matches(complexSelector));
  });
}

test('finds an element from its page, not from itself', () => {
  const main = document.querySelector('main')!;
  assert.is(main.querySelectorAll('.inbox').length, 0);
  assert.is(document.querySelectorAll('.inbox').length, 1);
  assert.is(document.querySelectorAll('.inbox')[0], main);
});

for (const wrong of ['a,', ',a', 'a[href', 'a:not(', '', '.', 'a..b'])
  test(`rejects the selector “${wrong}”`, () => {
    assert.throws(() => document.querySelectorAll(wrong));
  });

test.run();
