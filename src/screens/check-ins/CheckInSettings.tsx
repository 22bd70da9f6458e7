import { useState } from 'react';
import { Link } from 'wouter';
import { errorMessage } from '../../api/error';
import { plural } from '../../platform/plural';
import type { CheckInSettings, Policy, Topic } from '../../shared/contract';
import {
  CHECK_IN_SAVE_FAILED,
  CHECK_IN_SETTINGS_FAILED,
  countAlarmAudience,
  readCheckInSettings,
  saveCheckInSettings,
} from '../../state/check-ins/check-in-board';
import { readPolicies } from '../../state/setup/policies';
import { readAllTopics } from '../../state/topics/all-topics';
import { FormError, Submit, useForm } from '../../ui/forms/form';
import { Select } from '../../ui/forms/Select';
import { Icon } from '../../ui/Icon';
import { countedNoun } from '../../ui/lists/Pager';
import { notify } from '../../ui/notices';
import { Failure, Skeleton } from '../../ui/page';
import { useLoad } from '../lists/use-load';

interface Loaded {
  settings: CheckInSettings;
  topics: readonly Topic[];
  policies: readonly Policy[];
}

async function readSettingsAndChoices(): Promise<Loaded> {
  const [settings, topics, { policies }] = await Promise.all([
    readCheckInSettings(),
    readAllTopics(),
    readPolicies(),
  ]);
  return { settings, topics, policies };
}

/** Whether people may check in, and where the alarm goes. */
export function CheckInSettingsForm() {
  const { value, failure, reload } = useLoad('', readSettingsAndChoices, CHECK_IN_SETTINGS_FAILED);
  return (
    <section aria-labelledby="check-in-settings" className="narrow">
      <h2 id="check-in-settings">
        <Icon name="settings" />
        Settings
      </h2>
      {failure && <Failure retry={reload}>{failure}</Failure>}
      {value ? <Form {...value} /> : !failure && <Skeleton />}
    </section>
  );
}

/** Whether the alarm reaches someone in the topic, by the devices of its subscribers. */
function AlarmReach({ topicId, isAdminReachable }: { topicId: number; isAdminReachable: boolean }) {
  const { value, failure } = useLoad(topicId, countAlarmAudience, CHECK_IN_SETTINGS_FAILED);
  if (!value)
    return failure ? (
      <small role="status">We don’t know how many people the alarm would reach.</small>
    ) : null;
  const { people, reachable } = value;
  if (people === 0)
    return (
      <p className="note" data-tone="warn" role="status">
        This topic has no subscribers. Choose another topic, or add subscribers first.
      </p>
    );
  if (reachable > 0)
    return (
      <small role="status">
        {plural(people, {
          one: `We can notify ${reachable} of 1 subscriber.`,
          other: `We can notify ${reachable} of ${people} subscribers.`,
        })}
      </small>
    );
  return (
    <p className="note" data-tone={isAdminReachable ? 'warn' : 'bad'} role="status">
      {plural(people, {
        one: 'We can’t notify the only subscriber of this topic. The alarm would go to all administrators, too.',
        other: `We can’t notify any of the ${people} subscribers of this topic. The alarm would go to all administrators, too.`,
      })}{' '}
      {!isAdminReachable && 'We can’t notify any administrator either.'}
    </p>
  );
}

const GRACE_MINUTE_CHOICES = [1, 2, 3, 5, 10, 15, 20, 30, 45, 60];

function Form({ settings, topics, policies }: Loaded) {
  const { alarmTopic: _, isAdminReachable = true, ...saved } = settings;
  const [draft, setDraft] = useState(saved);
  /** An error is about what was saved: it goes with the next change. */
  const [failedDraft, setFailedDraft] = useState<typeof saved>();
  const change = (changes: Partial<typeof saved>) => setDraft({ ...draft, ...changes });
  const { enabled, graceMinutes, alarmTopicId, policyId } = draft;
  const { onSubmit, error, busy } = useForm(
    async () => {
      await saveCheckInSettings(draft);
      notify('Settings saved.');
    },
    (thrown) => {
      setFailedDraft(draft);
      return errorMessage(thrown, CHECK_IN_SAVE_FAILED);
    },
  );
  const graceMinuteChoices = [...new Set([...GRACE_MINUTE_CHOICES, settings.graceMinutes])].sort(
    (a, b) => a - b,
  );
  return (
    <form className="panel pad" onSubmit={onSubmit}>
      <FormError>{draft === failedDraft ? error : undefined}</FormError>
      <label className="line">
        <span>
          <b id="let">Let people check in</b>
          <small>Shows a check-in card on everyone’s home page</small>
        </span>
        <input
          type="checkbox"
          // biome-ignore lint/a11y/useAriaPropsForRole: a checkbox says `checked` by itself
          role="switch"
          aria-labelledby="let"
          checked={enabled}
          onChange={() => change({ enabled: !enabled })}
        />
      </label>
      <Select
        label="Send the alarm to"
        name="alarmTopicId"
        options={[
          ['', 'Choose a topic'],
          ...topics.map(({ id, title }) => [String(id), title] as const),
        ]}
        value={String(alarmTopicId ?? '')}
        onChoose={(id) => change({ alarmTopicId: Number(id) || null })}
      />
      {alarmTopicId !== null && (
        <AlarmReach key={alarmTopicId} topicId={alarmTopicId} isAdminReachable={isAdminReachable} />
      )}
      <div className="pair">
        <Select
          label="Wait after the time is up"
          name="graceMinutes"
          options={graceMinuteChoices.map(
            (minutes) => [String(minutes), countedNoun(minutes, 'minute')] as const,
          )}
          value={String(graceMinutes)}
          onChoose={(minutes) => change({ graceMinutes: Number(minutes) })}
        />
        <Select
          label="Escalation"
          name="policyId"
          options={[
            ['', 'Use the topic’s policy'],
            ...policies.map(({ id, name }) => [String(id), name] as const),
          ]}
          value={String(policyId ?? '')}
          onChoose={(id) => change({ policyId: Number(id) || null })}
        />
      </div>
      {policyId === null && topics.find(({ id }) => id === alarmTopicId)?.policyId === null && (
        <p className="note" data-tone="warn" role="status">
          This topic has no escalation policy. We’ll notify people only once, even if no one
          answers. <Link href="/admin/policies">View policies</Link>
        </p>
      )}
      <Submit busy={busy} busyText="Saving…">
        Save settings
      </Submit>
    </form>
  );
}
