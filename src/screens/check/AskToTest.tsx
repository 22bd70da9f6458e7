import { Link } from 'wouter';
import { asking } from '../../state/reach/weekly';
import { useFocusKept } from '../../ui/page';
import { deviceWord } from './words';

/** Asks, once a week at most, where nothing was shown on this device for long. */
export function AskToTest() {
  useFocusKept(asking.value);
  if (!asking.value) return null;
  const done = () => {
    asking.value = false;
  };
  return (
    <div className="note bar" data-tone="warn" role="status">
      <span>
        Nothing was shown on this {deviceWord()} for 7 days. Test whether it can still be reached.
      </span>
      <Link className="alone" href="/check" onClick={done}>
        Test this {deviceWord()}
      </Link>
      <button
        type="button"
        className="quiet"
        aria-label="Not now: hide the request to test"
        onClick={done}
      >
        Not now
      </button>
    </div>
  );
}
