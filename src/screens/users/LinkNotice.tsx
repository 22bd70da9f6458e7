import { useRef, useState } from 'react';
import { copyText, selectText } from '../../ui/clipboard';
import { notify } from '../../ui/notices';
import { QrCode } from '../../ui/values/QrCode';

/** How long the link can be copied (S9.6). */
const LINK_NOTICE_MS = 10_000;

export function announceLink(link: string, username: string): void {
  const close = notify(
    <LinkNotice link={link} username={username} onClose={() => close()} />,
    'ok',
    LINK_NOTICE_MS,
    true,
  );
}

function LinkNotice({
  link,
  username,
  onClose,
}: {
  link: string;
  username: string;
  onClose: () => void;
}) {
  const text = useRef<HTMLElement>(null);
  const [outcome, setOutcome] = useState('');
  async function copyAndReport() {
    if (await copyText(link)) setOutcome('Link copied.');
    else {
      selectText(text.current);
      setOutcome(
        'Your browser doesn’t allow copying. The link is selected, so you can copy it yourself.',
      );
    }
  }
  return (
    <>
      <div className="bar">
        <b>Registration link created!</b>
        <button type="button" className="quiet" aria-label="Close notice" onClick={onClose}>
          Close
        </button>
      </div>
      <div className="bar">
        <QrCode text={link} label={`QR code with the registration link for ${username}`} />
        <div className="bar">
          <code ref={text}>{link}</code>
          <button type="button" onClick={() => void copyAndReport()}>
            Copy link
          </button>
        </div>
      </div>
      {outcome && <small>{outcome}</small>}
    </>
  );
}
