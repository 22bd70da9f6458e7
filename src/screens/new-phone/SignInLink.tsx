import { useState } from 'react';
import { createOwnPhoneLink, PHONE_LINK_FAILED } from '../../state/account/new-phone';
import { Failure, Skeleton } from '../../ui/page';
import { timeText } from '../../ui/values/When';
import { useLoad } from '../lists/use-load';
import { LinkToPaste } from './LinkToPaste';

/** Takes this browser's sign-in to the installed app of an iPhone. */
export function SignInLink() {
  const [wanted, setWanted] = useState(false);
  if (wanted) return <Created />;
  return (
    <button type="button" className="plain" onClick={() => setWanted(true)}>
      Create a sign-in link
    </button>
  );
}

function Created() {
  const { value, failure, reload } = useLoad('', createOwnPhoneLink, PHONE_LINK_FAILED);
  if (failure) return <Failure retry={reload}>{failure}</Failure>;
  if (!value) return <Skeleton />;
  return (
    <>
      <LinkToPaste focused>{value.link}</LinkToPaste>
      <p className="muted">Works once, until {timeText(Date.parse(value.expiresAt))}.</p>
    </>
  );
}
