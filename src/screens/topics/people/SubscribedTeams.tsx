import { useState } from 'react';
import { Link } from 'wouter';
import type { Topic, TopicTeams } from '../../../shared/contract';
import { readTeamChoices, TEAMS_FAILED } from '../../../state/teams/teams';
import {
  changeTopicTeams,
  readTopicTeams,
  TEAM_SUBSCRIPTION_FAILED,
  TOPIC_TEAMS_FAILED,
} from '../../../state/teams/team-topics';
import { Icon } from '../../../ui/Icon';
import { lazy } from '../../../ui/lazy';
import { MoreMenu } from '../../../ui/MoreMenu';
import { notify } from '../../../ui/notices';
import { ClientPager } from '../../../ui/lists/ClientPager';
import { countedNoun } from '../../../ui/lists/Pager';
import { Empty, Failure, Skeleton, useKeepFocus } from '../../../ui/page';
import { offerUndo } from '../../../ui/undo';
import { TeamMark } from '../../../ui/values/TeamMark';
import { useLoad } from '../../lists/use-load';
import { notifyIfFailed } from '../../lists/notify-if-failed';

const PickDialog = lazy(() =>
  import('../../selection/PickDialog').then((module) => module.PickDialog),
);

type TopicTeam = TopicTeams['teams'][number];

export function SubscribedTeams({ topic, onChange }: { topic: Topic; onChange: () => void }) {
  const { id, title } = topic;
  const { value: teams, failure, reload, retry } = useLoad(id, readTopicTeams, TOPIC_TEAMS_FAILED);
  const [adding, setAdding] = useState(false);
  useKeepFocus(teams);
  function onChanged() {
    reload();
    onChange();
  }
  const changeTeam = (by: 'subscribe' | 'unsubscribe', team: TopicTeam) =>
    notifyIfFailed(changeTopicTeams(by, id, [team.id]), TEAM_SUBSCRIPTION_FAILED[by], onChanged);
  async function removeTeam(team: TopicTeam) {
    if (await changeTeam('unsubscribe', team))
      offerUndo(
        `${team.name} unsubscribed from ${title}.`,
        () => void changeTeam('subscribe', team),
        'ok',
      );
  }
  return (
    <section className="flush" aria-labelledby="teams">
      <div className="bar">
        <h2 id="teams">Teams{teams && ` (${teams.length.toLocaleString()})`}</h2>
        <button type="button" className="plain" onClick={() => setAdding(true)}>
          <Icon name="plus" />
          Add teams
        </button>
      </div>
      {failure && <Failure retry={retry}>{failure}</Failure>}
      {!teams && !failure && <Skeleton />}
      {teams?.length === 0 && <Empty>No team is subscribed to this topic.</Empty>}
      {teams && teams.length > 0 && (
        <ClientPager rows={teams} noun="team">
          {(rows) => (
            <ul className="panel rows">
              {rows.map((team) => (
                <li key={team.id}>
                  <div>
                    <TeamMark />
                    <span>
                      <b>
                        <bdi>{team.name}</bdi>
                      </b>{' '}
                      <span>{countedNoun(team.members, 'person')}</span>
                    </span>
                    <MoreMenu itemName={team.name}>
                      <li>
                        <Link href={`/admin/teams/${team.id}`}>
                          <Icon name="team" />
                          Open team
                        </Link>
                      </li>
                      <li className="last">
                        <button
                          type="button"
                          className="quiet"
                          onClick={() => void removeTeam(team)}
                        >
                          <Icon name="x" />
                          Unsubscribe team
                        </button>
                      </li>
                    </MoreMenu>
                  </div>
                </li>
              ))}
            </ul>
          )}
        </ClientPager>
      )}
      {adding && (
        <PickDialog
          title={
            <>
              Add teams to <bdi>{title}</bdi>
            </>
          }
          noun="team"
          read={async () =>
            (await readTeamChoices()).filter(
              (candidate) => !teams?.some((team) => team.id === candidate.id),
            )
          }
          readFailed={TEAMS_FAILED}
          empty="There are no more teams."
          action="Add teams"
          busyText="Adding…"
          submit={async (teamIds) => {
            await changeTopicTeams('subscribe', id, teamIds);
            onChanged();
            notify(`${countedNoun(teamIds.length, 'team')} subscribed to ${title}.`);
          }}
          submitFailed={TEAM_SUBSCRIPTION_FAILED.subscribe}
          onClose={() => setAdding(false)}
        />
      )}
    </section>
  );
}
