/** A notification's data, for a press on it and for its order in the tray. */
export interface NotificationData {
  link?: string | undefined;
  id?: string;
  answers?: string[];
  /** The message's revision that the notification shows. */
  revision?: number;
  isAllClear?: true;
  /** Milliseconds since 1970. */
  at?: number;
}
