import { Component, type ReactNode } from 'react';
import { codeLoadFailure } from './lazy';

/** Contains a fault in its screen, so that the navigation keeps working. Another `key` retries. */
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
          This page couldn’t be shown. Reload it. If that doesn’t help, try again with a better
          connection.
        </span>
        <button type="button" onClick={() => void reload()}>
          Reload
        </button>
      </div>
    );
  }
}

/** The worker's cache may be broken: load the server's version. */
async function reload(): Promise<void> {
  await codeLoadFailure.recover().catch(() => '');
  location.reload();
}
