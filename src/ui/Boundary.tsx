import { Component, type ReactNode } from 'react';
import { missingCode } from './lazy';

/**
 * Keeps a fault inside its screen: everything around it, such as the navigation, stays alive.
 * Another `key` is another try.
 */
export class Boundary extends Component<{ children: ReactNode }, { failed: boolean }> {
  override state = { failed: false };

  override componentDidCatch(error: unknown): void {
    console.error(error);
    this.setState({ failed: true });
  }

  override render(): ReactNode {
    if (!this.state.failed) return this.props.children;
    return (
      <div className="note bar" data-tone="bad" role="alert">
        <span>
          This page could not be shown. Reload it; if that does not help, try again when you have a
          better connection.
        </span>
        <button type="button" onClick={() => void reload()}>
          Reload
        </button>
      </div>
    );
  }
}

/**
 * What the worker keeps may be what is broken: then the page starts again as what the server has
 * now.
 */
async function reload(): Promise<void> {
  await missingCode.recover().catch(() => '');
  location.reload();
}
