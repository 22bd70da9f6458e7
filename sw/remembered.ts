/** A notification's data, for a press on it and for its order in the tray. */
export interface Remembered {
  link?: string | undefined;
  id?: string;
  answers?: string[];
  /** Milliseconds since 1970. */
  at?: number;
}
