import type { ReactNode } from 'react';
import type { ComposedMessage } from '../../../state/messages/composing';
import { GrowingText } from '../../../ui/forms/GrowingText';
import { LOCK_SCREEN_LENGTH, MAX_MESSAGE_LENGTH, MAX_TITLE_LENGTH } from '../message-lengths';

export interface FieldProps {
  draft: ComposedMessage;
  onChange: (part: Partial<ComposedMessage>) => void;
  /** Links a field to its error. */
  invalid: (name: string) => object | undefined;
  /** The error of a field. */
  error: (name: string) => ReactNode;
}

export const TitleField = ({ draft: { title, to }, onChange, invalid, error }: FieldProps) => (
  <>
    <label>
      {to[0] && !to.some(({ kind }) => kind === 'topic') ? (
        <>
          Title <span className="muted">(optional; defaults to your username)</span>
        </>
      ) : (
        <>
          Title <span className="muted">(optional; defaults to the topic name)</span>
        </>
      )}
      <input
        type="text"
        name="title"
        autoComplete="off"
        dir="auto"
        maxLength={MAX_TITLE_LENGTH}
        value={title}
        onInput={({ currentTarget }) => onChange({ title: currentTarget.value })}
        {...invalid('title')}
      />
    </label>
    {error('title')}
  </>
);

export const MessageField = ({ draft: { message }, onChange, invalid, error }: FieldProps) => (
  <>
    {/* biome-ignore lint/a11y/noLabelWithoutControl: GrowingText is the textarea */}
    <label>
      Message
      <GrowingText
        name="message"
        rows={[4, 6]}
        maxLength={MAX_MESSAGE_LENGTH}
        required
        value={message}
        onText={(text) => onChange({ message: text })}
        {...invalid('message')}
        aria-describedby="message-error count"
      />
    </label>
    <p>
      <small id="count" data-tone={message.length > LOCK_SCREEN_LENGTH ? 'warn' : undefined}>
        {message.length.toLocaleString()} of {MAX_MESSAGE_LENGTH.toLocaleString()} characters · lock
        screens show about 110
      </small>
    </p>
    {error('message')}
  </>
);
