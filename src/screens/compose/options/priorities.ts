export const PRIORITIES = [
  ['info', 'Info'],
  ['normal', 'Normal'],
  ['urgent', 'Urgent'],
] as const;
