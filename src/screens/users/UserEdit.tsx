import { useState } from 'react';
import { errorMessage } from '../../api/error';
import type { User } from '../../shared/contract';
import type { Language } from '../../shared/languages';
import {
  changeInvitationLanguage,
  changeUser,
  userChangeFailed,
} from '../../state/users/change-users';
import { DialogForm } from '../../ui/forms/DialogForm';
import { notify } from '../../ui/notices';
import { InvitationLanguage } from './InvitationLanguage';
import { NameAndEmail } from './UserForm';

/** Changes a user's name and email. */
export function UserEdit({
  user,
  onClose,
  onDone,
}: {
  user: User;
  onClose: () => void;
  onDone: () => void;
}) {
  const [language, setLanguage] = useState<Language | ''>(user.language ?? '');
  async function submit({ username = '', email = '' }: Record<string, string>) {
    await changeUser(user, { username: username.trim(), email: email.trim() });
    if (language !== (user.language ?? '')) await changeInvitationLanguage(user, language);
    onDone();
    notify(`${username.trim()} changed.`);
  }
  return (
    <DialogForm
      title={
        <>
          Edit <bdi>{user.username}</bdi>
        </>
      }
      action="Save Changes"
      busyText="Saving…"
      submit={submit}
      explain={(thrown) => errorMessage(thrown, userChangeFailed(user))}
      onClose={onClose}
    >
      {(invalid) => (
        <>
          <NameAndEmail user={user} invalid={invalid} />
          {user.status === 'ACTIVE' ? (
            <p className="muted">
              If you change the email address, the user must verify the new one.
            </p>
          ) : (
            <InvitationLanguage value={language} onChoose={setLanguage} />
          )}
        </>
      )}
    </DialogForm>
  );
}
