/** What a person sees of a page. Runs in the page before the app. */

export type ControlKind = 'button' | 'link' | 'checkbox' | 'switch' | 'field';

/** Where to press, or `covered`. */
export type PressPoint = { x: number; y: number } | 'covered';

export interface ShownList {
  /** Such as `1–10 of 47 topics`; empty without a list. */
  status: string;
  /** The cells' texts without the checkbox's. */
  rows: string[][];
  busy: boolean;
}
export interface ShownSetting {
  title: string;
  /** Undefined without a switch. */
  on: boolean | undefined;
}

export interface PageQueries {
  find(kind: ControlKind, name: string): PressPoint | undefined;
  focus(label: string): boolean;
  choose(label: string, option: string): boolean;
  /** Only new words count from now on. */
  forgetNotices(): void;
  /** The app's last outcome: good, bad, or an ended session. */
  outcome(): { kind: 'good' | 'bad' | 'ended'; text: string } | undefined;
  /** The failure that main shows, or an empty text. */
  failure(): string;
  list(): ShownList;
  settings(): ShownSetting[];
  text(): string;
}

export function installPageQueries(): void {
  const plain = (text: string | null | undefined) => (text ?? '').replace(/\s+/g, ' ').trim();
  const all = <Each extends Element = HTMLElement>(
    selector: string,
    root: ParentNode = document,
  ) => [...root.querySelectorAll<Each>(selector)];
  const textOf = (element: Element | null) => plain(element?.textContent);
  const wordsOf = (element: HTMLElement) => plain(element.innerText); // with the spaces that are seen
  const labelled = (element: Element) =>
    plain(
      element
        .getAttribute('aria-labelledby')
        ?.split(' ')
        .map((id) => document.getElementById(id)?.textContent)
        .join(' '),
    );
  const nameOf = (element: Element) =>
    element.getAttribute('aria-label') ?? (labelled(element) || textOf(element));
  /** The label's own text, without its elements'. */
  const labelOf = (element: Element) => plain(element.closest('label')?.firstChild?.textContent);
  const dialog = () => all('dialog[open]').at(-1);
  const selectors = {
    button: 'button',
    link: 'a[href]',
    checkbox: 'input[type=checkbox]:not([role])',
    switch: 'input[role=switch]',
    field: 'input, select, textarea',
  };
  const lookup = (kind: ControlKind, name: string) =>
    all(selectors[kind], dialog() ?? document).find(
      (element) =>
        (kind === 'field' ? labelOf(element) : nameOf(element)) === name &&
        !element.matches(':disabled') &&
        (element.closest('.more') ?? element.checkVisibility()),
    );
  let old = new WeakSet<Element>();
  const notices = () => all('.toast > .note').filter((note) => !old.has(note));

  const pageQueries: PageQueries = {
    find(kind, name) {
      const element = lookup(kind, name);
      if (!element) return undefined;
      if (element.matches('.more li > *')) element.closest('details')!.open = true;
      element.scrollIntoView({ block: 'center' });
      const { left, top, width, height } = element.getBoundingClientRect();
      const [x, y] = [left + width / 2, top + height / 2];
      const hit = document.elementFromPoint(x, y);
      const own =
        hit &&
        (element.contains(hit) || (kind !== 'field' && hit.closest('label')?.contains(element)));
      return own ? { x, y } : 'covered';
    },
    focus(label) {
      const element = lookup('field', label);
      element?.focus();
      if (element instanceof HTMLInputElement || element instanceof HTMLTextAreaElement)
        element.select();
      return element !== undefined;
    },
    choose(label, option) {
      const element = lookup('field', label);
      if (!(element instanceof HTMLSelectElement)) return false;
      element.value = option;
      for (const event of ['input', 'change'])
        element.dispatchEvent(new Event(event, { bubbles: true }));
      return element.value === option;
    },
    forgetNotices() {
      old = new WeakSet(all('.toast > .note'));
    },
    outcome() {
      if (location.pathname === '/login' && document.querySelector('form input[name=password]'))
        return { kind: 'ended', text: textOf(document.querySelector('main')) };
      const bad = [
        ...notices().filter((note) => note.dataset.tone === 'bad'),
        ...all('[role=alert]', dialog() ?? document.createElement('p')),
      ]
        .map(wordsOf)
        .find(Boolean);
      if (bad) return { kind: 'bad', text: bad };
      const good = [
        ...notices().filter((note) => note.dataset.tone === 'ok'),
        ...all('dialog[open] .note[role=status]'),
      ]
        .map(wordsOf)
        .find(Boolean);
      return good ? { kind: 'good', text: good } : undefined;
    },
    failure: () => all('main [role=alert]').map(textOf).find(Boolean) ?? '',
    list: () => ({
      status:
        textOf(document.querySelector('main nav [role=status]')) ||
        all('main .panel.pad > p').map(textOf).join(' '),
      rows: all<HTMLTableRowElement>('main tbody tr').map((row) =>
        [...row.cells]
          .filter((cell) => !cell.querySelector('.tick'))
          .map((cell) => textOf(cell.querySelector('.who + bdi, a > bdi') ?? cell)),
      ),
      busy: document.querySelector('main [aria-busy], main .skeleton') !== null,
    }),
    settings: () =>
      all('#topics > li').flatMap((row) => {
        const title = textOf(row.querySelector('b'));
        const flip = row.querySelector<HTMLInputElement>('input[role=switch]');
        return title ? [{ title, on: flip?.checked }] : [];
      }),
    text: () => plain(document.body.innerText),
  };
  Object.assign(window, { pageQueries });
}

declare global {
  interface Window {
    pageQueries: PageQueries;
  }
}
