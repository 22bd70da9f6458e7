/** English in every language, because people of several languages may send. */
const ENGLISH_ALARM = /^((i )?need help|can[’']?t\b)/i;

/** An answer that calls for help, or declines, needs attention. Others have no tone. */
export const answerTone = (answer: string): 'bad' | undefined =>
  answer === 'Need help' || answer === 'I need help' || ENGLISH_ALARM.test(answer)
    ? 'bad'
    : undefined;
