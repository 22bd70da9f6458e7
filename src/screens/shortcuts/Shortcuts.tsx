import { areShortcutsOn, switchShortcuts } from '../../state/shortcuts';
import { Close, Dialog } from '../../ui/forms/Dialog';

const SHORTCUT_KEYS = [
  ['/', 'Go to search'],
  ['n', 'Write a new message'],
  ['?', 'Show shortcuts'],
  ['Esc', 'Close a dialog or menu'],
] as const;

export const ShortcutDialog = ({ onClose }: { onClose: () => void }) => (
  <Dialog title="Keyboard shortcuts" onClose={onClose}>
    <Shortcuts />
    <Close onClose={onClose} />
  </Dialog>
);

/** Part of the account, because the dialog opens only while they are on. */
export const ShortcutSection = () => (
  <section aria-labelledby="shortcuts">
    <h2 id="shortcuts">Keyboard shortcuts</h2>
    <Shortcuts />
  </section>
);

const Shortcuts = () => (
  <>
    <ul className="panel rows">
      {SHORTCUT_KEYS.map(([key, does]) => (
        <li key={key}>
          <div>
            <kbd>{key}</kbd> {does}
          </div>
        </li>
      ))}
    </ul>
    <label className="inline">
      <input
        type="checkbox"
        // biome-ignore lint/a11y/useAriaPropsForRole: a checkbox says `checked` by itself
        role="switch"
        checked={areShortcutsOn.value}
        onChange={({ currentTarget }) => switchShortcuts(currentTarget.checked)}
      />
      Use shortcuts on this device
    </label>
    <p>
      <small>
        Shortcuts don’t work while you type.
        {!areShortcutsOn.value && ' You can turn shortcuts on again under Account.'}
      </small>
    </p>
  </>
);
