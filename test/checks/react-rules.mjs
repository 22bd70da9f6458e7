/**
 * Rejects what React and our replacements (`src/platform/react/compat.ts`, `signals.ts`) treat
 * differently, as no test on one of them notices. The build itself rejects names that compat.ts
 * lacks.
 */
import { readFileSync } from 'node:fs';
import { parseSync, traverse } from '@babel/core';

const REACT_STAND_INS = ['src/platform/react/compat.ts', 'src/platform/react/signals.ts'];
/** Inputs whose `onChange` is the browser's own event on both. */
const CHOICE_TYPES = ['checkbox', 'radio', 'file'];
/** Elements that contain nothing else focusable. */
const FIELD_ELEMENTS = ['input', 'select', 'textarea'];
/** Attributes that React writes with a hyphen, and Preact unchanged. */
const CAMEL_CASE_ATTRIBUTES =
  /^(accent|alignment|baseline|clip(?!PathUnits)|color|dominant|fill|flood|font|glyph(?!Ref)|image|letter|lighting|marker(?!Height|Width|Units)|overline|paint|pointer|shape|stop|strikethrough|stroke|text(?!Length)|underline|unicode|vector|vert|word|writing)[A-Z]/;

const ATTRIBUTES = [
  ({ name, tag, text }) =>
    name === 'onChange' &&
    (tag === 'textarea' || (tag === 'input' && !CHOICE_TYPES.includes(text('type')))) &&
    'onChange of a text field comes with each key in React, and when the field is left in Preact: onInput is the same in both',
  ({ name, tag }) =>
    /^on(Focus|Blur)$/.test(name) &&
    !FIELD_ELEMENTS.includes(tag) &&
    `${name} bubbles in React alone: ${name}Capture is the same in both`,
  ({ name }) =>
    name === 'onDoubleClick' &&
    'onDoubleClick is no event in Preact: addEventListener in an effect',
  ({ name }) =>
    CAMEL_CASE_ATTRIBUTES.test(name) &&
    `Preact writes ${name} as it is: ${name.replace(/[A-Z]/g, '-$&').toLowerCase()} is the same in both`,
  ({ name, tag, has }) =>
    name === 'defaultValue' &&
    (tag === 'select' || has('value')) &&
    'defaultValue of a list, or beside a value, does nothing in Preact',
  ({ name, tag }) =>
    name === 'multiple' && tag === 'select' && 'a list of values is not understood by Preact',
  ({ name, value }) =>
    name === 'download' && !value && 'download without a name is "true" in Preact',
  ({ name }) =>
    name === 'autoFocus' &&
    'autoFocus is no attribute in React, so a dialog does not see it: focus() in an effect',
  ({ name }) => name === 'translate' && 'translate="no" means yes in Preact',
  ({ name, value }) =>
    name === 'style' &&
    (value?.expression?.type !== 'ObjectExpression' ||
      value.expression.properties.some((each) => each.value?.type === 'NumericLiteral')) &&
    'style is to be written out, lengths as text: React adds px to numbers',
];

const REACT_NAMES = {
  nativeEvent: 'in Preact the event itself is the native one',
  isDefaultPrevented: 'defaultPrevented is the same in both',
  isPropagationStopped: 'Preact has no such thing',
  defaultProps: 'neither React nor Preact looks at it: default values of parameters are the same',
};

export function reactFaults(files, read = (file) => readFileSync(file, 'utf8')) {
  const parsed = files.map((file) => [file, parse(file, read(file))]);
  const signals = new Set(parsed.flatMap(([, tree]) => signalsOf(tree)));
  return parsed.flatMap(([file, tree]) => faultsOf(file, tree, signals));
}

const parse = (file, source) =>
  parseSync(source, {
    filename: file,
    configFile: false,
    babelrc: false,
    browserslistConfigFile: false,
    parserOpts: { plugins: file.endsWith('x') ? ['typescript', 'jsx'] : ['typescript'] },
  });

const isSignal = (node) =>
  node?.type === 'CallExpression' && ['signal', 'computed'].includes(node.callee.name);

const signalsOf = ({ program }) =>
  program.body
    .map((statement) => statement.declaration ?? statement)
    .filter(({ type }) => type === 'VariableDeclaration')
    .flatMap(({ declarations }) => declarations)
    .filter(({ init }) => isSignal(init))
    .map(({ id }) => id.name);

function faultsOf(file, tree, signals) {
  const faults = [];
  const say = ({ loc }, what) => faults.push(`${file}:${loc.start.line}: ${what}`);
  traverse(tree, {
    ImportDeclaration({ node }) {
      if (/^(preact|@preact\/signals(-core)?)(\/|$)/.test(node.source.value) && !isStandIn(file))
        say(node, `source says react, not ${node.source.value}`);
    },
    JSXAttribute(path) {
      const element = path.parent;
      const tag = element.name.name;
      if (!isHtml(tag)) return;
      const find = (wanted) => element.attributes.find((each) => each.name?.name === wanted);
      const { name, value } = path.node;
      const about = {
        tag,
        name: name.name,
        value,
        has: (other) => find(other) !== undefined,
        text: (other) => find(other)?.value?.value,
      };
      for (const rule of ATTRIBUTES) {
        const what = rule(about);
        if (what) say(path.node, what);
      }
    },
    JSXExpressionContainer(path) {
      const { expression } = path.node;
      const toComponent =
        path.parent.type === 'JSXAttribute' && !isHtml(path.parentPath.parent.name.name);
      if (expression.type !== 'Identifier' || toComponent) return;
      const binding = path.scope.getBinding(expression.name);
      const imported = binding?.path.node.imported?.name;
      if (signals.has(imported) || isSignal(binding?.path.node.init))
        say(
          path.node,
          `${expression.name}.value is meant: a signal by itself is drawn elsewhere, not here`,
        );
    },
    Identifier({ node }) {
      if (Object.hasOwn(REACT_NAMES, node.name))
        say(node, `${node.name}: ${REACT_NAMES[node.name]}`);
    },
    Function(path) {
      const name = nameOf(path);
      if (!file.endsWith('x') || !/^[A-Z][a-z]/.test(name) || isFollowed(path)) return;
      say(
        path.node,
        `${name} holds no JSX, so on React it would not follow signals: say @useSignals above it`,
      );
    },
  });
  return faults;
}

const isStandIn = (file) => REACT_STAND_INS.includes(file);
const isHtml = (tag) => typeof tag === 'string' && /^[a-z]/.test(tag);

/** The name of a function: its own, or the constant's. */
const nameOf = ({ node, parent }) =>
  node.id?.name ?? (parent.type === 'VariableDeclarator' ? parent.id.name : '') ?? '';

/** The rule of the signals' Babel transform: JSX inside the function, or a comment. */
function isFollowed(path) {
  let found = false;
  path.traverse({
    JSX(inner) {
      found = true;
      inner.stop();
    },
  });
  const statement = path.getStatementParent();
  const above = [statement, statement.parentPath].flatMap(({ node }) => node.leadingComments ?? []);
  return found || above.some(({ value }) => value.includes('@useSignals'));
}
