import { readFileSync } from 'node:fs';
import { test } from 'uvu';
import * as assert from 'uvu/assert';

/** One rule per line, in any format. */
const theme = readFileSync('src/styles/theme.css', 'utf8')
  .replace(/\s+/g, ' ')
  .replace(/;? \}/g, ' }')
  .replace(/\b0\.(?=\d)/g, '.');
const page = readFileSync('static/index.html', 'utf8');
const tokenValue = (name: string) => new RegExp(`${name}: ([^;]+);`).exec(theme)?.[1];
const toPixels = (rem: string | undefined) => Number.parseFloat(rem ?? '') * 16;

test('uses a spacing unit of 8 px and a radius of 4 px', () => {
  assert.is(toPixels(tokenValue('--pico-spacing')) % 8, 0);
  assert.is(toPixels(tokenValue('--pico-border-radius')), 4);
});

test('uses a dark blue as primary color', () => {
  const [red = 0, green = 0, blue = 0] =
    (tokenValue('--pico-primary-background') ?? '')
      .match(/[\da-f]{2}/g)
      ?.map((hex) => Number.parseInt(hex, 16)) ?? [];
  assert.ok(blue > red && blue > green && blue < 0xb0, tokenValue('--pico-primary-background'));
});

test('changes layout at 600, 900 and 1200 px only', () => {
  const widths = [...theme.matchAll(/@media \(min-width: ([\d.]+)em\)/g)].map(
    ([, em]) => Number(em) * 16,
  );
  assert.equal(
    [...new Set(widths)].sort((one, other) => one - other),
    [600, 672, 900, 1200],
  ); // 672: two cards side by side, within the phone's layout
});

test('limits the picker to 300 px, and a dialog’s list to 400 px', () => {
  assert.is(toPixels(/\.pick \{ max-height: ([\d.]+)rem/.exec(theme)?.[1]), 300);
  assert.is(toPixels(/dialog \.scroll \{ max-height: ([\d.]+)rem/.exec(theme)?.[1]), 400);
});

test('breaks endless words wherever people’s text appears', () => {
  assert.match(theme, /h1, bdi, code, \.note \{ overflow-wrap: anywhere \}/);
});

test('shows text boxes with three to six rows', () => {
  const [, least, most] =
    /textarea \{ field-sizing: content; min-height: ([\d.]+)rem; max-height: ([\d.]+)rem \}/.exec(
      theme,
    ) ?? [];
  const rows = (rem: string | undefined) => Math.floor((toPixels(rem) - 2 * 12) / 24); // Pico's padding and line height
  assert.equal([rows(least), rows(most)], [3, 6]);
});

test('cuts descriptions after two lines', () => {
  assert.match(theme, /\.clamp \{[^}]*-webkit-line-clamp: 2/);
});

test('draws names at weight 600, and buttons and labels at 500', () => {
  for (const rule of [
    /[ },]b \{ font-weight: 600 \}/,
    /tbody th \{ --pico-font-weight: 600;/,
    /#menu a\[aria-current\] \{[^}]*font-weight: 600/,
    /[ },]label, button \{ --pico-font-weight: 500 \}/,
  ])
    assert.match(theme, rule);
  assert.not.match(theme, /\bb \{[^}]*font-weight: 500/);
});

test('spaces row actions 8 px, the last one apart', () => {
  assert.match(theme, /td\.actions \{[^}]*gap: \.5rem/);
  assert.match(theme, /\.actions > \* \+ \* \{ margin-inline-start: \.5rem \}/);
  assert.match(theme, /\.actions > \.more \{[^}]*margin-inline-start: auto/);
});

test('folds the menu behind its button below 900 px', () => {
  const bar = theme.slice(theme.indexOf('/* 4 SHELL'), theme.indexOf('/* 5 PARTS'));
  assert.match(bar, /\[aria-expanded="false"\] \+ #menu \{ display: none \}/);
  assert.match(bar, /@media \(min-width: 56\.25em\) \{[\s\S]*\.brand ~ #menu \{ display: flex/);
});

test('follows the system’s color scheme', () => {
  assert.match(theme, 'color-scheme: light dark');
  assert.match(page, 'prefers-color-scheme: dark');
});

test.run();
