import { useState } from 'react';
import { createOwnPhoneLink } from '../../state/account/new-phone';
import { Icon } from '../../ui/Icon';
import { lazy } from '../../ui/lazy';

const PhoneLinkDialog = lazy(() =>
  import('./PhoneLinkDialog').then((module) => module.PhoneLinkDialog),
);

/** A row that shows a code for the person's new phone. */
export function UseAnotherPhone() {
  const [open, setOpen] = useState(false);
  return (
    <div>
      <span>
        <b>
          <Icon name="device" />
          New phone?
        </b>{' '}
        <span>Scan a code to sign in on the new phone. Your topics stay the same.</span>
      </span>
      <button type="button" className="plain" onClick={() => setOpen(true)}>
        Use another phone
      </button>
      {open && (
        <PhoneLinkDialog
          title="Use another phone"
          create={createOwnPhoneLink}
          onClose={() => setOpen(false)}
        >
          Scan this code with the new phone’s camera. This device stays signed in. Show the code
          only to your own phone.
        </PhoneLinkDialog>
      )}
    </div>
  );
}
