// Small text that outlives the page. Storage may be off or full; text that cannot be stored stays
// in memory, and nothing here throws.
const textsInMemory = new Map<string, string>();

/** The page's inline script reads the same key (`src/build/app/page.mjs`). */
export const LANGUAGE_STORAGE_KEY = 'language';

/** Returns null if nothing is stored. Unreadable storage counts as empty. */
export function readStored(name: string): string | null {
  try {
    return textsInMemory.get(name) ?? localStorage.getItem(name);
  } catch (error) {
    console.warn('Storage cannot be read', error);
    return textsInMemory.get(name) ?? null;
  }
}

/** Null removes the text. Returns false if the text is only in memory. */
export function writeStored(name: string, text: string | null): boolean {
  textsInMemory.delete(name);
  try {
    if (text === null) localStorage.removeItem(name);
    else localStorage.setItem(name, text);
    return true;
  } catch (error) {
    console.warn('Storage cannot be written', error);
    if (text !== null) textsInMemory.set(name, text);
    return false;
  }
}

/** Calls back when another tab changes the text, and on return from the back/forward cache. */
export function watchStored(name: string, onChange: () => void): void {
  addEventListener('storage', (event) => {
    if (event.key === name || event.key === null) onChange();
  });
  addEventListener('pageshow', onChange); // Back brings a whole page back, as it was left
}
