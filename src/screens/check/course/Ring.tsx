import { useState } from 'react';
import { errorMessage } from '../../../api/error';
import { answerTest, HEARD_FAILED } from '../../../state/reach/course';
import { notify } from '../../../ui/notices';

/** The one stage that nobody but the person can tell. */
export function Ring() {
  const [busy, setBusy] = useState(false);
  function say(heard: boolean): void {
    setBusy(true);
    answerTest(heard)
      .catch((thrown: unknown) => notify(errorMessage(thrown, HEARD_FAILED), 'bad'))
      .finally(() => setBusy(false));
  }
  return (
    <section aria-labelledby="ring">
      <h2 id="ring">Did it ring?</h2>
      {/* biome-ignore lint/a11y/useSemanticElements: a fieldset would want a legend */}
      <div className="answers" role="group" aria-labelledby="ring">
        <button type="button" disabled={busy} onClick={() => say(true)}>
          Yes
        </button>
        <button type="button" className="plain" disabled={busy} onClick={() => say(false)}>
          No, it was silent
        </button>
      </div>
    </section>
  );
}
