import { CHECK_IN_PAGE } from '../../shared/check-in-page';
import type { WorkerMessage } from '../../shared/push-message';
import { notify } from '../../ui/notices';

const URGENT_NOTICE_MS = 15_000;

/** Shows a push as a notice, while the app is open. */
export function announcePush({
  title,
  body,
  priority,
  link,
  revision = 1,
  isAllClear,
}: Extract<WorkerMessage, { type: 'shown' }>['shown']): void {
  // The check-in's screen asks the same, and the notice would cover its answers.
  if (link === CHECK_IN_PAGE && location.pathname === CHECK_IN_PAGE) return;
  const urgent = priority === 'urgent' && !isAllClear;
  const corrected = revision > 1;
  notify(
    isAllClear
      ? `All clear · ${title}: ${body}`
      : urgent && corrected
        ? `Urgent, corrected · ${title}: ${body}`
        : corrected
          ? `Corrected · ${title}: ${body}`
          : urgent
            ? `Urgent · ${title}: ${body}`
            : `${title}: ${body}`,
    urgent ? 'bad' : '',
    urgent ? URGENT_NOTICE_MS : undefined,
  );
}
