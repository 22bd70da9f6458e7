/** When people do not want to be rung at by what can wait. */
export interface QuietHoursTable {
  user_id: number;
  /** An IANA name. */
  time_zone: string;
  /** As the contract has them, as JSON; one at least. */
  rules: string;
}
