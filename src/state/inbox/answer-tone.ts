interface AnsweredMessage {
  helpAnswers?: readonly string[];
}

/** The server decides: it knows the answers of all translations. */
export const isCallForHelp = (answer: string, { helpAnswers }: AnsweredMessage): boolean =>
  helpAnswers?.includes(answer) === true;

/** Only a call for help needs attention. A refusal is an answer like others. */
export const answerTone = (answer: string, message: AnsweredMessage): 'bad' | undefined =>
  isCallForHelp(answer, message) ? 'bad' : undefined;
