import { useEffect } from 'react';
import { isAdmin, storageWorks } from '../../state/session';
import { notify } from '../../ui/notices';
import { Places } from '../inbox/Places';
import { StatusMessages } from './StatusMessages';
import type { ShellRoute } from './routing';

/** What the frame has at its bottom edge once the first screen is there, and what it says then. */
export function Foot({ here }: { here: ShellRoute | undefined }) {
  useEffect(() => {
    if (!storageWorks.value)
      notify(
        'This browser keeps nothing. You will have to log in again after closing this page.',
        'warn',
        15_000,
      );
  }, []);
  return (
    <>
      <StatusMessages here={here} />
      {/* Administrators have their messages beside the topics. */}
      {!isAdmin.value && <Places here={here?.nav} />}
    </>
  );
}
