import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { countChanges, findSimilarWord } from '../../../server/lib/similar-word';

const test = suite('likely spellings');

test('counts inserted, missing, changed and swapped letters once each', () => {
  for (const [one, other, changes] of [
    ['', '', 0],
    ['storm', 'storm', 0],
    ['storm', 'strom', 1],
    ['storm', 'storms', 1],
    ['storms', 'storm', 1],
    ['storm', 'stork', 1],
    ['storm', 'tsorm', 1],
    ['storm', 'tsormx', 2],
    ['ab', 'ba', 1],
    ['abc', 'cab', 2],
    ['storm', '', 5],
  ] as const)
    assert.is(countChanges(one, other, 9), changes, `${one} ${other}`);
});

test('stops counting above the limit', () => {
  assert.is(countChanges('storm', 'flood', 2), 3);
  assert.is(countChanges('a', 'abcdef', 2), 3);
  assert.is(countChanges('storm', 'strom', 1), 1, 'as many as the most are counted');
});

test('suggests the nearest option, the first of several, or none', () => {
  const options = ['storms', 'storm', 'outages', 'grid outages'];
  for (const [word, likely] of [
    ['stormm', 'storms'],
    ['strom', 'storm'],
    ['outage', 'outages'],
    ['grid uotages', 'grid outages'],
    ['gird otuages', 'grid outages'],
    ['flood', undefined],
    ['x', undefined],
  ] as const)
    assert.is(findSimilarWord(word, options), likely, word);
  assert.is(findSimilarWord('abcd', ['abce', 'abcf']), 'abce');
  assert.is(findSimilarWord('abcd', ['abef']), undefined, 'one letter in four');
  assert.is(findSimilarWord('abcdefgh', ['abcdefxy']), 'abcdefxy');
});

test('compares the beginnings of long words', () => {
  const long = 'x'.repeat(60);
  assert.is(findSimilarWord(`${long}abc`, [`${long}yz`]), `${long}yz`);
});

test.run();
