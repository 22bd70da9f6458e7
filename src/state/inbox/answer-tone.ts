/** English in every language, because people of several languages may send. */
const ENGLISH_HELP = /^(i )?need help/i;

export const asksForHelp = (answer: string): boolean =>
  answer === 'Need help' || answer === 'I need help' || ENGLISH_HELP.test(answer);

/** Only a call for help needs attention. A refusal is an answer like others. */
export const answerTone = (answer: string): 'bad' | undefined =>
  asksForHelp(answer) ? 'bad' : undefined;
