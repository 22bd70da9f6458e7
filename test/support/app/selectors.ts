/**
 * Reads simple selectors (`button`, `a[href]`) once: happy-dom parses them again for each element,
 * and `getByRole` asks about fifty of each.
 */
import type { Element } from 'happy-dom';
import NodeList from 'happy-dom/lib/nodes/node/NodeList.js';
import * as PropertySymbol from 'happy-dom/lib/PropertySymbol.js';
import QuerySelector from 'happy-dom/lib/query-selector/QuerySelector.js';

type Node = { [PropertySymbol.elementArray]: Element[] };
type Test = (element: Element) => boolean;
interface Simple {
  tag: string | undefined;
  tests: Test[];
}

const ATTRIBUTE_PATTERN = String.raw`\[([\w-]+)(?:(~?=)(?:"([^"\\]*)"|([\w-]+)))?\]`;
const SELECTOR_PART = new RegExp(
  String.raw`${ATTRIBUTE_PATTERN}|:not\(${ATTRIBUTE_PATTERN}\)|\.([\w-]+)`,
  'y',
);
const TAG_PATTERN = /\*|[a-z][a-z\d]*|(?=[[.:])/iy;
const COMMA_PATTERN = /,\s*/y;

/** Undefined if one of them is not simple. */
function parse(selector: string): Simple[] | undefined {
  const selectors: Simple[] = [];
  for (let position = 0; ; ) {
    TAG_PATTERN.lastIndex = position;
    const tag = TAG_PATTERN.exec(selector)?.[0];
    if (tag === undefined) return undefined;
    position += tag.length;
    const tests: Test[] = [];
    for (SELECTOR_PART.lastIndex = position; ; position = SELECTOR_PART.lastIndex) {
      const match = SELECTOR_PART.exec(selector);
      if (!match) break;
      tests.push(testOf(match));
    }
    selectors.push({ tag: tag === '*' || tag === '' ? undefined : tag.toLowerCase(), tests });
    if (position === selector.length) return selectors;
    COMMA_PATTERN.lastIndex = position;
    const comma = COMMA_PATTERN.exec(selector)?.[0];
    if (comma === undefined) return undefined;
    position += comma.length;
  }
}

const parsedSelectors = new Map<string, Simple[] | undefined>();
function parseOnce(selector: string): Simple[] | undefined {
  if (!parsedSelectors.has(selector)) parsedSelectors.set(selector, parse(selector));
  return parsedSelectors.get(selector);
}

function testOf([whole, ...groups]: RegExpExecArray): Test {
  const className = groups[8];
  if (className !== undefined) return (element) => element.classList.contains(className);
  const isNot = whole.startsWith(':');
  const [name = '', operator, quoted, bare] = groups.slice(isNot ? 4 : 0);
  const attributeValue = quoted ?? bare;
  return (element) => {
    const value = element.getAttribute(name);
    const matchesSelector =
      value !== null &&
      (operator === undefined ||
        (operator === '='
          ? value === attributeValue
          : value.split(/\s/).includes(attributeValue ?? '')));
    return matchesSelector !== isNot;
  };
}

const matchesSelector = (selectors: Simple[], element: Element): boolean =>
  selectors.some(
    ({ tag, tests }) =>
      (tag === undefined || tag === element.localName.toLowerCase()) &&
      tests.every((test) => test(element)),
  );

function collect(node: Node, selectors: Simple[], foundElements: Element[]): void {
  for (const element of node[PropertySymbol.elementArray]) {
    if (matchesSelector(selectors, element)) foundElements.push(element);
    collect(element as unknown as Node, selectors, foundElements);
  }
}

export function readSelectorsOnce(): void {
  const { matches, querySelectorAll } = QuerySelector;
  QuerySelector.matches = (element, selector, options) => {
    const selectors = parseOnce(selector);
    if (!selectors) return matches.call(QuerySelector, element, selector, options);
    return matchesSelector(selectors, element) ? { priorityWeight: 0 } : null;
  };
  QuerySelector.querySelectorAll = ((node: Element, selector: string) => {
    const selectors = typeof selector === 'string' ? parseOnce(selector) : undefined;
    if (!selectors) return querySelectorAll.call(QuerySelector, node, selector);
    const foundElements: Element[] = [];
    collect(node as unknown as Node, selectors, foundElements);
    return new NodeList(PropertySymbol.illegalConstructor, foundElements);
  }) as typeof querySelectorAll;
}
