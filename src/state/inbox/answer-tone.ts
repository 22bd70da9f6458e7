import { asksForHelp } from '../../shared/help-answers';

export { asksForHelp };

/** Only a call for help needs attention. A refusal is an answer like others. */
export const answerTone = (answer: string): 'bad' | undefined =>
  asksForHelp(answer) ? 'bad' : undefined;
