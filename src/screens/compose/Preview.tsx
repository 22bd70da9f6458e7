import { LOCK_SCREEN_ANSWERS } from './message-lengths';
import { composedTitle, type ComposedMessage } from '../../state/messages/composing';

/** What people see on the lock screen. */
export function Preview({ draft }: { draft: ComposedMessage }) {
  const { to, title, message, answers, priority } = draft;
  return (
    <>
      <h2>On the lock screen</h2>
      <div className="lockscreen">
        <div className={priority === 'urgent' ? 'hot' : undefined}>
          <small>
            <img src="/logo.svg" width="20" height="20" alt="" /> Fieldbell · now
          </small>
          <p>
            <b>
              {priority === 'urgent' && 'Urgent: '}
              <bdi>{to.length > 0 || title ? composedTitle(draft) : 'Topic'}</bdi>
            </b>
          </p>
          <p>
            <bdi className="clamp">{message.trim() || 'Your message'}</bdi>
          </p>
          {answers.length > 0 && (
            <p>
              {answers.slice(0, LOCK_SCREEN_ANSWERS).map((answer) => (
                <b key={answer}>
                  <bdi>{answer}</bdi>
                </b>
              ))}
            </p>
          )}
        </div>
      </div>
    </>
  );
}
