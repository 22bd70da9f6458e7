import { asksForHelp } from '../../../state/messages/help-answers';

/** Says which answers call for help, one on each line, because they count differently. */
export const HelpHint = ({ answers }: { answers: readonly string[] }) => (
  <>
    {[...new Set(answers)].filter(asksForHelp).map((answer) => (
      <span key={answer}>
        “<bdi>{answer}</bdi>” calls for help. It’s shown in red and doesn’t stop an escalation.
        <br />
      </span>
    ))}
  </>
);
