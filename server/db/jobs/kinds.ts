/** The kinds of jobs, and what the subject of each is. */

/** Mails a message to a person who has not answered. Subject: `PERSON MESSAGE STEP`. */
export const MESSAGE_MAIL_JOB = 'mail-message';
/** Mails that a person at the screen waits for. */
export const ACCOUNT_MAIL_KINDS = [
  'mail-password-reset',
  'mail-verification',
  'mail-email-change',
  'mail-email-changed',
  'mail-new-phone',
] as const;
/** Invites an imported person. Subject: their id. */
export const INVITATION_MAIL_JOB = 'mail-invitation';
/** These mails are sent before invitations. */
export const PROMPT_MAIL_KINDS = [...ACCOUNT_MAIL_KINDS, MESSAGE_MAIL_JOB] as const;
export const MAIL_KINDS = [...PROMPT_MAIL_KINDS, INVITATION_MAIL_JOB] as const;
export type MailKind = (typeof MAIL_KINDS)[number];

/** Writes the recipients of a message. Subject: its id. */
export const MESSAGE_JOB = 'message';
/** Notifies again more people than a request can wait for. */
export const NOTIFY_AGAIN_JOB = 'message-repeat';
/** Brings a correction or an all-clear to more people than a request can wait for. */
export const REVISION_JOB = 'message-revision';
/** Writes the tests of a round of all devices. Subject: the round's message. */
export const TEST_JOB = 'device-tests';
export const MESSAGE_JOBS = [MESSAGE_JOB, NOTIFY_AGAIN_JOB, REVISION_JOB, TEST_JOB] as const;

/** Takes the next step of a message's escalation. Subject: the message's id. */
export const ESCALATION_JOB = 'escalation';
/** Notifies a person of messages held during quiet hours. Subject: the person's id. */
export const QUIET_JOB = 'quiet-end';

/** Reminds a person of their check-in, and sends its alarm. Subject: its id. */
export const CHECK_IN_JOB = 'check-in';
/** Tells a person that someone else gave the all-clear. Subject: the check-in's id. */
export const ALL_CLEAR_NOTICE_JOB = 'check-in-notice';
/** Looks whether an open alarm still reaches someone. Subject: the check-in's id. */
export const ALARM_WATCH_JOB = 'check-in-watch';
/** Tells others that a person with an open alarm was suspended. Subject: the check-in's id. */
export const SUSPENSION_NOTICE_JOB = 'check-in-suspended';

/** Alerts the topic of a heartbeat that falls silent. Subject: its id. */
export const HEARTBEAT_JOB = 'heartbeat';

/** Removes what still names a deleted person (`operations/forget.ts`). Subject: `DeletedPerson`. */
export const FORGET_JOB = 'forget-person';
export interface DeletedPerson {
  id: number;
  username: string;
  email: string | null;
}
