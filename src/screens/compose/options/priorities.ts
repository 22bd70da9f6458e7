/** How much a message may disturb, in the words of who sends it. */
export const PRIORITIES = [
  ['info', 'Info'],
  ['normal', 'Normal'],
  ['urgent', 'Urgent'],
] as const;
