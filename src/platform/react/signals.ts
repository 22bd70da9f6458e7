// What source code gets as `@preact/signals-react`: the signals, and rendering a component again
// when a signal changes that it read. Binding signals to attributes would cost 0.8 kB at login, and
// time.
import { effect } from '@preact/signals-core';
import { options, type Component } from 'preact';

export { computed, effect, signal, untracked } from '@preact/signals-core';

/** Preact calls it before it renders a component; preact/hooks uses it too. */
const hook = options as { __r?: (vnode: { __c: Component }) => void };
const previousHook = hook.__r;
const trackedComponents = new WeakSet<Component>();

hook.__r = (vnode) => {
  previousHook?.(vnode);
  const component = vnode.__c;
  if (trackedComponents.has(component)) return;
  trackedComponents.add(component);
  follow(component);
};

/** Each rendering is the first run of an effect; the second run requests the next rendering. */
function follow(component: Component): void {
  const { render, componentWillUnmount } = component;
  let stop: (() => void) | undefined;
  component.render = (...args) => {
    stop?.();
    let output: ReturnType<typeof render>;
    let isDone = false;
    stop = effect(() => {
      // `setState` would drop the request if a state was set and set back in the same moment.
      if (isDone) component.forceUpdate();
      else output = render.apply(component, args);
      isDone = true;
    });
    return output;
  };
  component.componentWillUnmount = () => {
    stop?.();
    componentWillUnmount?.call(component);
  };
}
