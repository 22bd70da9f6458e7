import { useEffect, useRef, type ReactNode } from 'react';
import { Close, Dialog } from '../../ui/forms/Dialog';

/** Selected text to copy by hand, if the browser does not copy. */
export function ManualCopyDialog({
  title,
  text,
  onClose,
  children,
}: {
  title: string;
  text: string;
  onClose: () => void;
  /** Says that the text is selected. */
  children: ReactNode;
}) {
  const field = useRef<HTMLTextAreaElement>(null);
  useEffect(() => field.current?.select(), []);
  return (
    <Dialog title={title} onClose={onClose}>
      <label>
        Your browser doesn’t allow copying. {children}
        <textarea ref={field} readOnly rows={6} defaultValue={text} />
      </label>
      <Close onClose={onClose} />
    </Dialog>
  );
}
