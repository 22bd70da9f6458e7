import { useState } from 'react';
import { Link, useLocation, useParams } from 'wouter';
import { readTeam, TEAM_FAILED } from '../../state/teams/teams';
import { Icon } from '../../ui/Icon';
import { lazy } from '../../ui/lazy';
import { MoreMenu } from '../../ui/MoreMenu';
import { Failure, Heading, Skeleton, useKeepFocus } from '../../ui/page';
import { previousListQuery } from '../lists/list-address';
import { useLoad } from '../lists/use-load';
import { Members } from './Members';
import { MessageLink } from './MessageLink';
import { TeamTopics } from './TeamTopics';

const Dialogs = lazy(() => import('./TeamDialogs').then((module) => module.TeamDialogs));

/** Shows the members and the topics of one team. */
export function TeamScreen() {
  const { teamId = '' } = useParams<{ teamId: string }>();
  const { value: team, failure, reload, retry } = useLoad(teamId, readTeam, TEAM_FAILED);
  const [open, setOpen] = useState<'edit' | 'delete'>();
  const [, navigate] = useLocation();
  const listPath = `/admin/teams${previousListQuery()}`;
  useKeepFocus(team === undefined);
  return (
    <>
      <Link className="back alone" href={listPath}>
        <Icon name="chevron" />
        Teams
      </Link>
      <div className="bar">
        <Heading>{team?.name ?? 'Team'}</Heading>
        {team && (
          <>
            <MessageLink team={team} className="press">
              <Icon name="send" />
              Message team
            </MessageLink>
            <MoreMenu itemName={team.name}>
              <li>
                <button type="button" className="quiet" onClick={() => setOpen('edit')}>
                  <Icon name="edit" />
                  Edit
                </button>
              </li>
              <li className="last">
                <button type="button" className="quiet" onClick={() => setOpen('delete')}>
                  <Icon name="x" />
                  Delete team
                </button>
              </li>
            </MoreMenu>
          </>
        )}
      </div>
      {failure && <Failure retry={retry}>{failure}</Failure>}
      {!team && !failure && <Skeleton />}
      {team && (
        <>
          {team.description && (
            <p className="muted">
              <bdi>{team.description}</bdi>
            </p>
          )}
          <div className="twin">
            <Members team={team} onChange={reload} />
            <TeamTopics team={team} onChange={reload} />
          </div>
        </>
      )}
      {team && open && (
        <Dialogs
          open={{ dialog: open, team }}
          onClose={() => setOpen(undefined)}
          onDone={(gone) => (gone ? navigate(listPath) : reload())}
        />
      )}
    </>
  );
}
