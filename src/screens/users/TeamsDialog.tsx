import type { User } from '../../shared/contract';
import { changeTeams } from '../../state/teams/members';
import { readTeamChoices, TEAMS_FAILED } from '../../state/teams/teams';
import { userChangeFailed } from '../../state/users/change-users';
import { notify } from '../../ui/notices';
import { PickDialog } from '../selection/PickDialog';

/** Which teams a user is in. */
export function TeamsDialog({
  user,
  onClose,
  onDone,
}: {
  user: User;
  onClose: () => void;
  onDone: () => void;
}) {
  const formerTeamIds = (user.teams ?? []).map(({ id }) => id);
  async function submit(newTeamIds: readonly number[], offeredIds: readonly number[]) {
    try {
      // A team that was not offered stays.
      await changeTeams(
        user.id,
        formerTeamIds.filter((id) => offeredIds.includes(id)),
        newTeamIds,
      );
    } finally {
      // Some may have changed even after a failure.
      onDone();
    }
    notify(`Teams of ${user.username} changed.`);
  }
  return (
    <PickDialog
      title={
        <>
          Teams of <bdi>{user.username}</bdi>
        </>
      }
      noun="team"
      read={readTeamChoices}
      readFailed={TEAMS_FAILED}
      empty="There are no teams yet. Add one under Teams."
      initialIds={formerTeamIds}
      action="Save Changes"
      busyText="Saving…"
      submit={submit}
      submitFailed={userChangeFailed(user)}
      onClose={onClose}
    />
  );
}
