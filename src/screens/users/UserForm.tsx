import { useState } from 'react';
import { errorMessage } from '../../api/error';
import type { Role, User } from '../../shared/contract';
import { Select } from '../../ui/forms/Select';
import { DialogForm } from '../../ui/forms/DialogForm';
import type { Language } from '../../shared/languages';
import { InvitationLanguage } from './InvitationLanguage';
import { announceLink } from './LinkNotice';
import { TopicsField } from './TopicsField';
import { ROLE_OPTIONS } from '../user-labels';
import { USER_ADD_FAILED, addUser } from '../../state/users/change-users';

/** Adds a user and shows their registration link. */
export function UserForm({ onClose, onDone }: { onClose: () => void; onDone: () => void }) {
  const [role, setRole] = useState<Role>('CUSTOMER');
  const [language, setLanguage] = useState<Language | ''>('');
  const [pickedTopics, setPickedTopics] = useState<ReadonlySet<number>>(new Set());
  async function submit({ username = '', email = '' }: Record<string, string>) {
    const name = username.trim();
    const link = await addUser({
      username: name,
      email: email.trim(),
      role,
      topicIds: [...pickedTopics],
      language,
    });
    onDone();
    announceLink(link, name);
  }
  return (
    <DialogForm
      title="Add User"
      action="Add User"
      busyText="Adding…"
      submit={submit}
      explain={(thrown) => errorMessage(thrown, USER_ADD_FAILED)}
      onClose={onClose}
    >
      {(invalid) => (
        <>
          <NameAndEmail invalid={invalid} />
          <Select label="Role" name="role" options={ROLE_OPTIONS} value={role} onChoose={setRole} />
          <InvitationLanguage value={language} onChoose={setLanguage} />
          <TopicsField picked={pickedTopics} onPicked={setPickedTopics} />
        </>
      )}
    </DialogForm>
  );
}

/** The fields of a new or an existing user. */
export const NameAndEmail = ({
  user,
  invalid,
}: {
  user?: User;
  invalid: (name: string) => object | undefined;
}) => (
  <>
    <label>
      Username
      <input
        type="text"
        name="username"
        autoComplete="off"
        autoCapitalize="none"
        spellCheck="false"
        dir="auto"
        required
        defaultValue={user?.username}
        {...invalid('username')}
      />
    </label>
    <label>
      Email <span className="muted">(optional)</span>
      <input
        type="email"
        name="email"
        autoComplete="off"
        defaultValue={user?.email ?? ''}
        {...invalid('email')}
      />
    </label>
  </>
);
