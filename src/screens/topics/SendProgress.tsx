import { useEffect, useState } from 'react';
import { Link } from 'wouter';
import type { SentMessage } from '../../shared/contract';
import { readMessageProgress } from '../../state/messages/messages';
import { isAdmin } from '../../state/session';
import { countedNoun } from '../../ui/lists/Pager';

/** How often to ask while pushes are pending. */
const POLL_INTERVAL_MS = 1000;

/** The page of a message that this person sent. */
export const getSentPath = (id: string): string =>
  isAdmin.peek() ? `/admin/messages/${id}` : `/sent/${id}`;

/** Silent if progress cannot be read: the message is sent anyway. */
export function SendProgress({ messageId }: { messageId: string }) {
  const [sentMessage, setSentMessage] = useState<SentMessage>();
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    let unmounted = false;
    const readProgress = async () => {
      const progress = await readMessageProgress(messageId).catch(() => undefined);
      if (unmounted) return;
      if (progress) setSentMessage(progress);
      if (!progress || progress.pending > 0)
        timer = setTimeout(() => void readProgress(), POLL_INTERVAL_MS);
    };
    void readProgress();
    return () => {
      unmounted = true;
      clearTimeout(timer);
    };
  }, [messageId]);
  return (
    <>
      {sentMessage && sentMessage.total > 0 && <small>{progressText(sentMessage)}</small>}{' '}
      {messageId && <Link href={getSentPath(messageId)}>See who got it</Link>}
    </>
  );
}

/** Counts devices: `Accepted by the push service for 3 of 5 devices, 1 failed, 1 gone.` */
export function progressText({ accepted, total, failed, gone }: SentMessage): string {
  const otherParts = [
    failed && `${failed.toLocaleString()} failed`,
    gone && `${gone.toLocaleString()} no longer registered`,
  ].filter(Boolean);
  const devices = `${accepted.toLocaleString()} of ${countedNoun(total, 'device')}`;
  return `${[`Accepted by the push service for ${devices}`, ...otherParts].join(', ')}.`;
}
