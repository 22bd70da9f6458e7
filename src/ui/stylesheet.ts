let loading: Promise<void> | undefined;

/** Resolves when the style sheet for everything beyond the login form applies, or cannot be had. */
export const stylesheet = (): Promise<void> =>
  (loading ??= new Promise((resolve) => {
    const link = document.createElement('link');
    link.rel = 'stylesheet';
    link.href = STYLES;
    link.onload = link.onerror = () => resolve();
    document.head.append(link);
  }));
