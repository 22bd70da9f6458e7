import { useEffect, useState } from 'react';
import { readTeams, TEAMS_FAILED } from '../../state/teams/teams';
import { EmptyList } from '../../ui/EmptyList';
import { Icon } from '../../ui/Icon';
import { lazy } from '../../ui/lazy';
import { Heading } from '../../ui/page';
import { Search } from '../../ui/lists/Search';
import { LIST_RULES, useListAddress } from '../lists/list-address';
import { Listing } from '../lists/Listing';
import { PageSizeField, usePageSize } from '../lists/PageSize';
import { usePages } from '../lists/use-pages';
import type { OpenTeamDialog } from './TeamDialogs';
import { TeamTable } from './TeamTable';

const Dialogs = lazy(() => import('./TeamDialogs').then((module) => module.TeamDialogs));

export function Teams() {
  const address = useListAddress(LIST_RULES);
  const setting = usePageSize();
  const list = usePages(address, readTeams, TEAMS_FAILED, [], setting.limit);
  const { shown } = list;
  useEffect(() => void (shown && Dialogs.preload()), [shown]);
  const [open, setOpen] = useState<OpenTeamDialog>();
  const openAddDialog = () => setOpen({ dialog: 'add' });
  return (
    <>
      <div className="bar">
        <Heading>Teams</Heading>
        <button type="button" onClick={openAddDialog}>
          <Icon name="plus" />
          Add team
        </button>
      </div>
      <p className="muted">Subscribe, message and filter people by the crews they work in.</p>
      <search className="bar">
        <Search label="Search Teams" value={list.query} onSearch={list.search} />
      </search>
      <Listing
        list={list}
        noun="team"
        empty={
          <EmptyList
            icon="team"
            title="No teams yet"
            hint="Members of a team are subscribed to its topics for as long as they’re in the team."
          >
            <button type="button" onClick={openAddDialog}>
              Add your first team
            </button>
          </EmptyList>
        }
        controls={<PageSizeField setting={setting} address={address} />}
      >
        {(rows) => <TeamTable rows={rows} onAction={(dialog, team) => setOpen({ dialog, team })} />}
      </Listing>
      {open && (
        <Dialogs open={open} onClose={() => setOpen(undefined)} onDone={() => list.reload()} />
      )}
    </>
  );
}
