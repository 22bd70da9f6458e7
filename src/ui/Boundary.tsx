import { Component, type ReactNode } from 'react';

interface Props {
  /** Another place is another try: a change of it shows the children again. */
  place: string;
  children: ReactNode;
}

/** Keeps a fault inside its screen: what is around it, such as the navigation, stays alive. */
export class Boundary extends Component<Props, { failed: string | null }> {
  override state = { failed: null as string | null };

  override componentDidCatch(error: unknown): void {
    console.error(error);
    this.setState({ failed: this.props.place });
  }

  override render(): ReactNode {
    if (this.state.failed !== this.props.place) return this.props.children;
    return (
      <div className="note bar" data-tone="bad" role="alert">
        <span>This page could not be shown. Reload it; if that does not help, try again when you have a better connection.</span>
        <button type="button" onClick={() => location.reload()}>
          Reload
        </button>
      </div>
    );
  }
}
