/** What a notification remembers for the press on it, and for its place in the tray. */
export interface Remembered {
  link?: string | undefined;
  id?: string;
  answers?: string[];
  /** Milliseconds since 1970. */
  at?: number;
}
