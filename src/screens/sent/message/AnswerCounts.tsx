import { Link } from 'wouter';
import type { SentMessage } from '../../../shared/contract';
import { Icon } from '../../../ui/Icon';
import { listLink } from '../../lists/list-address';
import { answerTone } from '../../../state/inbox/answer-tone';
import { Revisions } from './MessageText';

interface Props {
  message: SentMessage;
  /** The answer whose people are listed. */
  shown: string;
  addressOf: (answer: string) => string;
}

/** How many gave each answer, in the sender's order, with links to these people. */
export const AnswerCounts = ({ message, shown, addressOf }: Props) => (
  <section aria-labelledby="answers">
    <h2 id="answers">Answers</h2>
    <ul className="panel pad ask">
      {message.answers.map((answer, index) => {
        const count = Number(message.tally[answer]) || 0;
        const tone = count > 0 ? answerTone(answer, message) : undefined;
        return (
          <li key={answer} data-tone={tone}>
            <Link
              {...listLink(addressOf(answer))}
              aria-current={answer === shown ? 'true' : undefined}
              // On a phone, the list is below the screen.
              onClick={() => document.getElementById('people')?.scrollIntoView()}
            >
              <b>
                {tone && <Icon name="alert" />}
                <bdi>{answer}</bdi>
              </b>{' '}
              <span className="meter" aria-hidden="true">
                {count > 0 && (
                  <i
                    data-state={tone ? 'help' : index ? undefined : 'answered'}
                    style={{ width: `${(100 * count) / message.people.total}%` }}
                  />
                )}
              </span>
              <span>{count.toLocaleString()}</span>
            </Link>
          </li>
        );
      })}
    </ul>
    <Revisions message={message} />
  </section>
);
