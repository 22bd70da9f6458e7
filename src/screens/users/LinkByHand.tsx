import { useEffect, useRef } from 'react';
import type { User } from '../../shared/contract';
import { Close, Dialog } from '../../ui/Dialog';
import { registrationLink } from './filters';

/** Where the browser does not let the app copy: the link, selected, to be copied by hand. */
export function LinkByHand({
  user,
  onClose,
}: {
  user: Pick<User, 'username'> & Partial<Pick<User, 'status' | 'registrationToken'>>;
  onClose: () => void;
}) {
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => field.current?.select(), []);
  return (
    <Dialog title="Registration link" onClose={onClose}>
      <label>
        Your browser does not let the app copy. The link of {<bdi>{user.username}</bdi>} is
        selected: copy it from here.
        <input ref={field} type="text" readOnly defaultValue={registrationLink(user) ?? ''} />
      </label>
      <Close onClose={onClose} />
    </Dialog>
  );
}
