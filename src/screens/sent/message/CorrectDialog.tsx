import { useEffect, useState } from 'react';
import { ApiError, errorMessage } from '../../../api/error';
import type { SentMessage } from '../../../shared/contract';
import { getMessageArea } from '../../../state/messages/call-area';
import {
  deleteCorrectionDraft,
  readCorrectionDraft,
  storeCorrectionDraft,
  type CorrectionDraft,
} from '../../../state/messages/correction-draft';
import { CORRECTION_FAILED, correctMessage } from '../../../state/messages/revisions';
import { DialogForm } from '../../../ui/forms/DialogForm';
import { GrowingText } from '../../../ui/forms/GrowingText';
import { notify } from '../../../ui/notices';
import { MAX_MESSAGE_LENGTH, MAX_TITLE_LENGTH } from '../../compose/message-lengths';
import { TranslationsField } from '../../compose/options/TranslationsField';
import { asksForAnswer } from '../message-texts';

interface Props {
  message: SentMessage;
  onClose: () => void;
  /** Called afterwards: the message may have changed. */
  onDone: () => void;
}

/** A correction keeps the answers and their translations. */
const NO_ANSWERS: readonly string[] = [];

const unchangedError = () =>
  new ApiError('rejected', 'Change the text first.', 0, undefined, 'message');

/** A new text for everyone; before the message is sent, only the text changes. */
export function CorrectDialog({ message, onClose, onDone }: Props) {
  // Stays while the screen reads newer ones: a repeated press compares with what the person opened.
  const [opened] = useState(message);
  const [draft, setDraft] = useState<CorrectionDraft>(
    () =>
      readCorrectionDraft(message) ?? {
        title: message.title ?? '',
        text: message.message,
        translations: message.isTranslated ? (message.translations ?? {}) : undefined,
        asksAgain: false,
      },
  );
  const { title, text, translations, asksAgain } = draft;
  // Most corrections change the text, and many messages have no title of their own.
  useEffect(() => document.querySelector<HTMLElement>('dialog [name=message]')?.focus(), []);
  function change(part: Partial<CorrectionDraft>) {
    setDraft({ ...draft, ...part });
    storeCorrectionDraft(opened, { ...draft, ...part });
  }
  const wasSent = message.state !== 'scheduled';
  async function submit() {
    const hasTranslations = translations && Object.keys(translations).length > 0;
    const isSame =
      text.trim() === opened.message &&
      title.trim() === (opened.title ?? '') &&
      // A correction that has no translations removes the earlier ones.
      JSON.stringify(translations ?? {}) === JSON.stringify(opened.translations ?? {});
    if (isSame && !asksAgain) throw unchangedError();
    try {
      const isNewer = await correctMessage(
        getMessageArea(message),
        message.id,
        { ...{ message: text, title, ask: asksAgain }, ...(hasTranslations && { translations }) },
        opened.revision,
      );
      if (wasSent && !isNewer) throw unchangedError();
      deleteCorrectionDraft();
      notify(
        wasSent
          ? 'Message corrected. We’ll notify everyone who is reachable.'
          : 'Message corrected.',
      );
    } catch (thrown) {
      storeCorrectionDraft(opened, draft); // the dialog may have been closed meanwhile
      throw thrown;
    } finally {
      onDone();
    }
  }
  return (
    <DialogForm
      title="Correct this message"
      action={wasSent ? 'Send correction' : 'Correct'}
      busyText="Correcting…"
      disabled={!text.trim()}
      submit={submit}
      explain={(thrown) => errorMessage(thrown, CORRECTION_FAILED)}
      onClose={() => {
        deleteCorrectionDraft();
        onClose();
      }}
    >
      <label>
        Title <span className="muted">(optional)</span>
        <input
          dir="auto"
          maxLength={MAX_TITLE_LENGTH}
          placeholder={message.topics[0]?.title}
          value={title}
          onInput={({ currentTarget }) => change({ title: currentTarget.value })}
        />
      </label>
      {/* biome-ignore lint/a11y/noLabelWithoutControl: GrowingText is the textarea */}
      <label>
        Message
        <GrowingText
          name="message"
          rows={[4, 8]}
          maxLength={MAX_MESSAGE_LENGTH}
          required
          value={text}
          onText={(changed) => change({ text: changed })}
        />
      </label>
      {message.isTranslated && (
        <p>Correct the translations, too. Remove those that no longer fit.</p>
      )}
      <TranslationsField
        draft={{ title, message: text, answers: NO_ANSWERS, translations }}
        onChange={(changed) => change({ translations: changed.translations })}
      />
      {wasSent && asksForAnswer(message) && (
        <label>
          <input
            type="checkbox"
            checked={asksAgain}
            onChange={({ currentTarget }) => change({ asksAgain: currentTarget.checked })}
          />
          Ask everyone to answer again
        </label>
      )}
    </DialogForm>
  );
}
