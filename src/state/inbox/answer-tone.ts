/** English in every language, because people of several languages may send. */
const ENGLISH_HELP = /^(i )?need help/i;
const ENGLISH_REFUSAL = /^can[’']?t\b/i;

export const asksForHelp = (answer: string): boolean =>
  answer === 'Need help' || answer === 'I need help' || ENGLISH_HELP.test(answer);

/** An answer that calls for help, or declines, needs attention. Others have no tone. */
export const answerTone = (answer: string): 'bad' | undefined =>
  asksForHelp(answer) || ENGLISH_REFUSAL.test(answer) ? 'bad' : undefined;
