export interface QuietHoursTable {
  user_id: number;
  /** IANA name. */
  time_zone: string;
  /** The contract's rules as JSON, one at least. */
  rules: string;
}
