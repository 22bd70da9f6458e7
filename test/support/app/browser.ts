/** What a browser offers beyond the document. `screenSuite` restores it after each test. */

const { createObjectURL, revokeObjectURL } = URL;
const { click } = HTMLAnchorElement.prototype;

export function setOnline(isOnline: boolean): void {
  Object.defineProperty(navigator, 'onLine', { value: isOnline, configurable: true });
  dispatchEvent(new Event(isOnline ? 'online' : 'offline'));
}

export function setHidden(isHidden: boolean): void {
  Object.defineProperty(document, 'hidden', { value: isHidden, configurable: true });
  document.dispatchEvent(new Event('visibilitychange'));
}

/** Lets the browser copy texts from now on, and returns them. */
export function allowCopying(): string[] {
  const copiedTexts: string[] = [];
  setClipboard(async (text) => void copiedTexts.push(text));
  return copiedTexts;
}

/** Makes the browser reject copying from now on. */
export const rejectCopying = (): void =>
  setClipboard(() => Promise.reject(new Error('Not allowed')));

function setClipboard(writeText: (text: string) => Promise<void>): void {
  Object.defineProperty(navigator, 'clipboard', { value: { writeText }, configurable: true });
}

/** Prevents downloads from now on. Returns files, pressed links and released addresses. */
export function catchDownloads(): { files: Blob[]; saved: string[]; released: string[] } {
  const [files, saved, released]: [Blob[], string[], string[]] = [[], [], []];
  Object.assign(URL, {
    createObjectURL: (file: Blob) => `blob:${files.push(file)}`,
    revokeObjectURL: (address: string) => void released.push(address),
  });
  HTMLAnchorElement.prototype.click = function (this: HTMLAnchorElement) {
    saved.push(`${this.download} ${this.getAttribute('href')}`);
  };
  return { files, saved, released };
}

export function restoreBrowser(): void {
  if (!navigator.onLine) setOnline(true);
  if (document.hidden) setHidden(false);
  Reflect.deleteProperty(navigator, 'clipboard');
  Object.assign(URL, { createObjectURL, revokeObjectURL });
  HTMLAnchorElement.prototype.click = click;
}
