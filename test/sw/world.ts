/** A service worker's world, as far as ours looks at it: a registration that keeps notifications, and windows. */

export interface FakeNotification {
  title: string;
  options: NotificationOptions & { timestamp?: number; image?: string };
}

export class FakeWindow {
  focused = false;
  heard: unknown[] = [];
  /** What the page does with a message; answering on the port says that it sees to it. */
  listen: (message: unknown, port: MessagePort | undefined) => void = () => {};
  constructor(public url: string) {}
  async focus() {
    this.focused = true;
    return this;
  }
  async navigate(url: string) {
    this.url = url;
    return this;
  }
  postMessage(message: unknown, ports: MessagePort[] = []) {
    this.heard.push(message);
    this.listen(message, ports[0]);
  }
}

/** Notifications with the same tag replace each other, as in a browser. */
export function fakeWorld(...windows: FakeWindow[]) {
  const shown: FakeNotification[] = [];
  const opened: string[] = [];
  const world = {
    location: { origin: 'https://bell.example' },
    registration: {
      async showNotification(title: string, options: FakeNotification['options'] = {}) {
        const same = options.tag ? shown.findIndex((one) => one.options.tag === options.tag) : -1;
        if (same >= 0) shown.splice(same, 1);
        shown.push({ title, options });
      },
    },
    clients: {
      matchAll: async () => windows,
      openWindow: async (url: string) => void opened.push(url),
    },
  };
  return { worker: world as unknown as ServiceWorkerGlobalScope, shown, opened };
}
