import type { ReactNode } from 'react';
import type { PhoneLink } from '../../shared/contract';
import { PHONE_LINK_FAILED } from '../../state/account/new-phone';
import { CopyBar } from '../../ui/CopyBar';
import { Close, Dialog } from '../../ui/forms/Dialog';
import { Failure, Skeleton } from '../../ui/page';
import { QrCode } from '../../ui/values/QrCode';
import { timeText } from '../../ui/values/When';
import { useLoad } from '../lists/use-load';

interface Props {
  title: ReactNode;
  create: () => Promise<PhoneLink>;
  onClose: () => void;
  children: ReactNode;
}

/** Shows a code that signs a new phone in. Each opening creates another. */
export function PhoneLinkDialog({ title, create, onClose, children }: Props) {
  const { value, failure, reload } = useLoad('', create, PHONE_LINK_FAILED);
  return (
    <Dialog title={title} onClose={onClose}>
      {failure && <Failure retry={reload}>{failure}</Failure>}
      {!value && !failure && <Skeleton />}
      {value && (
        <>
          <p>{children}</p>
          <QrCode text={value.link} label="QR code that signs the new phone in" />
          <p className="muted">Works once, until {timeText(Date.parse(value.expiresAt))}.</p>
          <CopyBar what="link">{value.link}</CopyBar>
        </>
      )}
      <Close onClose={onClose} />
    </Dialog>
  );
}
