import { useEffect, useRef, useState, type FormEvent } from 'react';
import { Link } from 'wouter';
import { ApiError, errorMessage } from '../../api/error';
import { isConnected } from '../../platform/connection';
import type { QuietHoursNow } from '../../shared/contract';
import {
  addQuietRule,
  editedQuietHours,
  followQuietHours,
  areQuietHoursChanged,
  loadQuietHours,
  quietHoursError,
  MAX_QUIET_RULES,
  removeQuietRule,
  saveQuietHours,
  savedQuietHours,
  QUIET_HOURS_SAVE_FAILED,
} from '../../state/quiet-hours';
import { serverNow } from '../../state/clock';
import { loadTopics, topicsShownAsOf } from '../../state/subscriptions/load-topics';
import { parseTime } from '../../ui/values/Day';
import { FormError, Submit } from '../../ui/forms/form';
import { notify } from '../../ui/notices';
import { useIsMounted } from '../../ui/forms/use-is-mounted';
import { EmptyList } from '../../ui/EmptyList';
import { Failure, Heading, Skeleton, useKeepFocus } from '../../ui/page';
import { untilText } from '../../ui/values/When';
import { QuietHoursRule } from './QuietHoursRule';
import { TimeZone } from './TimeZone';
import { ownZone } from './time-zones';

export function QuietHoursScreen() {
  useEffect(followQuietHours, []);
  useEffect(() => {
    if (!isConnected.value) void loadTopics(); // the strip says that there is no network
  }, [isConnected.value]);
  const offline = !isConnected.value || topicsShownAsOf.value !== null;
  const hours = savedQuietHours.value;
  const failure = quietHoursError.value;
  useKeepFocus(hours === null, failure, areQuietHoursChanged.value);
  return (
    <>
      <Heading>Quiet hours</Heading>
      <p>
        <b>Info</b> messages are held until your quiet hours end. <b>Normal</b> and <b>Urgent</b>{' '}
        messages notify you at any time.
      </p>
      {failure && !(offline && hours) && (
        <Failure retry={() => void loadQuietHours()}>{failure}</Failure>
      )}
      {hours ? (
        <>
          <Now hours={hours} />
          <Rules offline={offline} />
        </>
      ) : (
        !failure && <Skeleton />
      )}
    </>
  );
}

/** An end within these hours is shown without its day. */
const DAY_HOURS = 24;
/** Tolerance between the server's clock and this device's. */
const RELOAD_LEEWAY_MS = 1000;

/** Whether quiet hours apply now, and which messages are held. */
function Now({ hours: { quietUntil, waiting } }: { hours: QuietHoursNow }) {
  const [, setOver] = useState(0);
  const remainingMs = parseTime(quietUntil) - serverNow();
  useEffect(() => {
    if (!(remainingMs > 0)) return;
    const timer = setTimeout(() => {
      setOver((previous) => previous + 1);
      void loadQuietHours();
    }, remainingMs + RELOAD_LEEWAY_MS);
    return () => clearTimeout(timer);
  }, [quietUntil]);
  return (
    <div className="note" role="status">
      {quietUntil && remainingMs > 0 && (
        <>
          Quiet until {untilText(quietUntil, DAY_HOURS)}.
          {waiting > 0 && (
            <>
              {` ${waiting.toLocaleString()} ${waiting === 1 ? 'message is' : 'messages are'} held. You can read ${waiting === 1 ? 'it' : 'them'} in `}
              <Link href="/messages">your inbox</Link> now.
            </>
          )}
        </>
      )}
    </div>
  );
}

interface Fault {
  sentence: string;
  /** The field's name: `rules.0.days`, `timeZone`. */
  fieldName: string;
}

function Rules({ offline }: { offline: boolean }) {
  const { rules, timeZone } = editedQuietHours.value ?? { rules: [], timeZone: '' };
  const form = useRef<HTMLFormElement>(null);
  const addButtonRef = useRef<HTMLButtonElement>(null);
  const [busy, setBusy] = useState(false);
  const [fault, setFault] = useState<Fault>();
  const isMounted = useIsMounted();

  function reject(sentence: string, fieldName: string) {
    setFault({ sentence, fieldName });
    // The first of several fields, such as days.
    const focus = (selector: string) => form.current?.querySelector<HTMLElement>(selector)?.focus();
    if (fieldName) focus(`[name^="${fieldName}"]`);
    // The button was disabled meanwhile and lost the focus.
    else setTimeout(() => focus('[type="submit"]'));
  }
  async function save() {
    setFault(undefined);
    const emptyRuleIndex = rules.findIndex(({ days }) => days.length === 0);
    if (emptyRuleIndex >= 0)
      return reject('Choose at least one day.', `rules.${emptyRuleIndex}.days`);
    setBusy(true);
    try {
      await saveQuietHours();
      notify('Quiet hours saved.');
    } catch (thrown) {
      const sentence = errorMessage(thrown, QUIET_HOURS_SAVE_FAILED);
      if (isMounted.current)
        reject(sentence, thrown instanceof ApiError ? findField(thrown.path) : '');
      else if (sentence) notify(sentence, 'bad');
    } finally {
      if (isMounted.current) setBusy(false);
    }
  }
  function onSubmit(event: FormEvent) {
    event.preventDefault();
    if (!busy && !offline) void save();
  }
  function addRule() {
    const fieldName = `rules.${rules.length}.days`;
    addQuietRule(ownZone());
    // After rendering. The button is gone if there are as many rules as allowed.
    setTimeout(() => form.current?.querySelector<HTMLElement>(`[name="${fieldName}"]`)?.focus());
  }
  function removeRule(key: number) {
    removeQuietRule(key);
    setFault(undefined); // the others have other numbers now
    setTimeout(() => addButtonRef.current?.focus());
  }
  const generalFault =
    fault && !/^(rules\.\d|timeZone)/.test(fault.fieldName) ? fault.sentence : undefined;
  const addButton = (
    <button ref={addButtonRef} type="button" className="plain" onClick={addRule}>
      Add a rule
    </button>
  );
  return (
    <form ref={form} onSubmit={onSubmit}>
      {rules.length === 0 && (
        <EmptyList
          icon="moon"
          title="No quiet hours yet"
          hint="Messages can notify you at any time."
        >
          {addButton}
        </EmptyList>
      )}
      {rules.map((rule, index) => (
        <QuietHoursRule
          key={rule.key}
          rule={rule}
          index={index}
          fault={fault?.fieldName.split('.')[1] === String(index) ? fault : undefined}
          onRemove={() => removeRule(rule.key)}
        />
      ))}
      {rules.length > 0 && (
        <p>
          {rules.length < MAX_QUIET_RULES ? (
            addButton
          ) : (
            <small>You can add up to {MAX_QUIET_RULES} rules.</small>
          )}
        </p>
      )}
      {rules.length > 0 && (
        <TimeZone
          value={timeZone}
          fault={fault?.fieldName === 'timeZone' ? fault.sentence : undefined}
        />
      )}
      <FormError>{generalFault}</FormError>
      {/* A form must have a submit button. */}
      <div hidden={rules.length === 0 && !areQuietHoursChanged.value}>
        <Submit busy={busy} disabled={offline || !areQuietHoursChanged.value} busyText="Saving…">
          Save quiet hours
        </Submit>
      </div>
    </form>
  );
}

/** The field for a server path: `rules.0.days.1` belongs to `rules.0.days`. */
const findField = (path = ''): string =>
  /^rules\.\d+\.(days|from|to)|^rules\.\d+|^timeZone/.exec(path)?.[0] ?? '';
