import type { Team } from '../../shared/contract';
import { DeletionDialog } from '../lists/DeletionDialog';
import { TeamForm } from './TeamForm';

export type OpenTeamDialog = { dialog: 'add' } | { dialog: 'edit' | 'delete'; team: Team };

interface Props {
  open: OpenTeamDialog;
  onClose: () => void;
  /** Called after a change; `gone` if the team was deleted. */
  onDone: (gone: boolean) => void;
}

export function TeamDialogs({ open, onClose, onDone }: Props) {
  if (open.dialog === 'add') return <TeamForm onClose={onClose} onDone={() => onDone(false)} />;
  const { dialog, team } = open;
  if (dialog === 'edit')
    return <TeamForm team={team} onClose={onClose} onDone={() => onDone(false)} />;
  return (
    <DeletionDialog
      kind="team"
      id={team.id}
      name={team.name}
      onClose={onClose}
      onDone={() => onDone(true)}
    />
  );
}
