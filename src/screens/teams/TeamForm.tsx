import { errorMessage } from '../../api/error';
import type { Team } from '../../shared/contract';
import { saveTeam, TEAM_SAVE_FAILED } from '../../state/teams/teams';
import { DialogForm } from '../../ui/forms/DialogForm';
import { notify } from '../../ui/notices';

/** Adds or edits a team. */
export function TeamForm({
  team,
  onClose,
  onDone,
}: {
  team?: Team;
  onClose: () => void;
  onDone: () => void;
}) {
  async function submit({ name = '', description = '' }: Record<string, string>) {
    await saveTeam(team?.id, { name: name.trim(), description: description.trim() });
    onDone();
    notify(team ? 'Changes saved.' : 'Team added.');
  }
  return (
    <DialogForm
      title={team ? 'Edit team' : 'Add team'}
      action={team ? 'Save Changes' : 'Add team'}
      busyText={team ? 'Saving…' : 'Adding…'}
      submit={submit}
      explain={(thrown) => errorMessage(thrown, TEAM_SAVE_FAILED)}
      onClose={onClose}
    >
      {(invalid) => (
        <>
          <label>
            Name
            <input
              type="text"
              name="name"
              autoComplete="off"
              dir="auto"
              required
              maxLength={60}
              defaultValue={team?.name}
              {...invalid('name')}
            />
          </label>
          <label>
            Description <span className="muted">(optional)</span>
            <textarea
              name="description"
              rows={2}
              dir="auto"
              maxLength={500}
              defaultValue={team?.description}
              {...invalid('description')}
            />
          </label>
        </>
      )}
    </DialogForm>
  );
}
