/** The kinds of jobs (`jobs.ts`), and what the subject of each says. */

/** Mails a message to a person who has not answered it; its subject is `PERSON MESSAGE STEP`. */
export const MESSAGE_MAIL_JOB = 'mail-message';
/** Mails for which somebody waits at the screen. */
export const ACCOUNT_MAIL_KINDS = [
  'mail-password-reset',
  'mail-verification',
  'mail-email-change',
  'mail-email-changed',
] as const;
/** Invites a person who was imported; its subject is their id. Thousands of them wait in a queue. */
export const INVITATION_MAIL_JOB = 'mail-invitation';
/** Mails that are to be sent at once. */
export const PROMPT_MAIL_KINDS = [...ACCOUNT_MAIL_KINDS, MESSAGE_MAIL_JOB] as const;
/** The jobs that send a mail: one kind for each mail that there is. */
export const MAIL_KINDS = [...PROMPT_MAIL_KINDS, INVITATION_MAIL_JOB] as const;
export type MailKind = (typeof MAIL_KINDS)[number];

/** Writes the recipients of a message, when it leaves or behind the send; its subject is the id. */
export const MESSAGE_JOB = 'message';
/** Lets a message ring again at more people than a request can wait for. */
export const REPEAT_JOB = 'message-repeat';
/** Writes the tests of everybody's devices; its subject is the round's message. */
export const TEST_JOB = 'device-tests';
export const MESSAGE_JOBS = [MESSAGE_JOB, REPEAT_JOB, TEST_JOB] as const;

/** Takes the next step for those who have not answered a message; its subject is the id. */
export const ESCALATION_JOB = 'escalation';
/** Tells a person of what waited for the end of their quiet hours; its subject is the person's id. */
export const QUIET_JOB = 'quiet-end';

/**
 * Removes what still names a person who was deleted (`operations/forget.ts`); its subject says, as
 * JSON, whom.
 */
export const FORGET_JOB = 'forget-person';
export interface Forgotten {
  id: number;
  username: string;
  email: string | null;
}
