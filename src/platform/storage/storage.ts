/**
 * Small text that outlives the page. Storage may be switched off or full, and then even reading
 * throws: nothing here ever does. What cannot be kept is held in memory until the page closes.
 */
const memory = new Map<string, string>();

/** The kept text, or null. A storage that cannot be read is logged and treated as empty. */
export function readStored(name: string): string | null {
  try {
    return memory.get(name) ?? localStorage.getItem(name);
  } catch (error) {
    console.warn('Storage cannot be read', error);
    return memory.get(name) ?? null;
  }
}

/** Keeps the text, or forgets it for `null`. False: it is only in memory and ends with the page. */
export function writeStored(name: string, text: string | null): boolean {
  memory.delete(name);
  try {
    if (text === null) localStorage.removeItem(name);
    else localStorage.setItem(name, text);
    return true;
  } catch (error) {
    console.warn('Storage cannot be written', error);
    if (text !== null) memory.set(name, text);
    return false;
  }
}

/**
 * Calls back when another tab writes or forgets the text, or clears everything, and when a page
 * comes back that slept through that.
 */
export function watchStored(name: string, changed: () => void): void {
  addEventListener('storage', (event) => {
    if (event.key === name || event.key === null) changed();
  });
  addEventListener('pageshow', changed); // Back brings a whole page back, as it was left
}
