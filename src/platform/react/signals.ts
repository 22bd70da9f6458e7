/**
 * What source means by `@preact/signals-react`: the very signals, and the one thing that the app
 * uses of `@preact/signals`, which is that a component is rendered again when a signal changes
 * whose `.value` it read while it was rendered. Left out is what binds signals to texts and
 * attributes: it costs the login form 0.8 kB brotli, and at every rendering a look at every
 * attribute of every element.
 */
import { effect } from '@preact/signals-core';
import { options, type Component } from 'preact';

export { computed, effect, signal, untracked } from '@preact/signals-core';

/**
 * Told before a component is rendered: Preact's own name for it, by which preact/hooks gets in,
 * too.
 */
const hook = options as { __r?: (vnode: { __c: Component }) => void };
const before = hook.__r;
const followed = new WeakSet<Component>();

hook.__r = (vnode) => {
  before?.(vnode);
  const component = vnode.__c;
  if (followed.has(component)) return;
  followed.add(component);
  follow(component);
};

/**
 * From now on, each rendering of the component is the first run of an effect, and the second run
 * asks for the next one.
 */
function follow(component: Component): void {
  const { render, componentWillUnmount } = component;
  let stop: (() => void) | undefined;
  component.render = (...given) => {
    stop?.();
    let rendered: ReturnType<typeof render>;
    let done = false;
    stop = effect(() => {
      // Not by setState, whose wish is dropped where a state of the component was set and set back
      // in the same moment.
      if (done) component.forceUpdate();
      else rendered = render.apply(component, given);
      done = true;
    });
    return rendered;
  };
  component.componentWillUnmount = () => {
    stop?.();
    componentWillUnmount?.call(component);
  };
}
