import { useRef, useState } from 'react';
import { Link } from 'wouter';
import { isConnected } from '../../platform/connection';
import type { ReachBoardPerson, ReachSummary } from '../../shared/contract';
import { lazy } from '../../ui/lazy';
import {
  REACH_FAILED,
  MAX_NAMES,
  readReachNames,
  readReach,
  sumReachable,
  type ReachBoardPage,
  type ReachFilter,
} from '../../state/reach/reach-board';
import type { PageRequest } from '../../state/read-all-pages';
import { serverNow } from '../../state/clock';
import { mayChange } from '../../state/rights';
import { Heading } from '../../ui/page';
import { EmptyList } from '../../ui/EmptyList';
import { Filters } from '../../ui/lists/Filters';
import { Search } from '../../ui/lists/Search';
import { Select } from '../../ui/forms/Select';
import { LIST_RULES, oneOf, useListAddress, formatListAddress } from '../lists/list-address';
import { Listing } from '../lists/Listing';
import { usePages } from '../lists/use-pages';
import { Tiles, labelWithIcon } from '../lists/Tiles';
import { ReachTable } from './ReachTable';
import { isTestRunning, refreshUntil, useRefreshDuringTests } from './running-tests';
import { TestAll } from './TestAll';
import { useDeviceTests } from './use-device-tests';
import { REACH_FILTERS } from './reach-texts';
import { readAllTeams, TEAMS_FAILED } from '../../state/teams/teams';
import { readAllTopics, TOPICS_FAILED } from '../../state/topics/all-topics';
import { IdFilter, parseIdFilter } from '../lists/IdFilter';

const RemoveDevice = lazy(() => import('./RemoveDevice').then((module) => module.RemoveDevice));
/** Shows nothing until the list has loaded, too. */
const CopyNames = lazy(() =>
  import('../lists/CopyNames').then((module) => module.CopyNames<ReachBoardPerson>),
);

const PAGE_SIZE_CHOICES = [
  ['', '25'],
  ['50', '50'],
  ['100', '100'],
] as const;
const REACH_ADDRESS_RULES = {
  ...LIST_RULES,
  state: oneOf(...REACH_FILTERS.map(([state]) => state)),
  topic: parseIdFilter,
  team: parseIdFilter,
  rows: oneOf('50', '100'),
};

/** Who is reachable, who is not and why, and what helps. */
export function ReachBoard() {
  const address = useListAddress(REACH_ADDRESS_RULES);
  const { state, topic, team, rows } = address.parts;
  // Safe: `REACH_ADDRESS_RULES` rejects any other state.
  const filter: ReachFilter = {
    state: (state || 'attention') as ReachFilter['state'],
    topic,
    team,
  };
  const cachedSummary = useRef<{ scope: string; summary: ReachSummary }>(undefined);
  const list = usePages<ReachBoardPerson, ReachBoardPage>(
    address,
    readBoard,
    REACH_FAILED,
    [state, topic, team],
    Number(rows) || 25,
  );
  const { shown, reload } = list;
  const tests = useDeviceTests(shown, reload);
  const round = tests.round && refreshUntil(tests.round) > serverNow() ? tests.round : undefined;
  const refreshesForTests =
    isConnected.value &&
    (round !== undefined ||
      tests.until > serverNow() ||
      isTestRunning(shown?.rows ?? [], serverNow()));
  useRefreshDuringTests(refreshesForTests, list);
  const [personToRemove, setPersonToRemove] = useState<ReachBoardPerson>();
  const suspendedCount = suspendedText(shown?.suspended ?? 0);
  const suspendedPeople = mayChange.value ? (
    <Link href="/admin/users?status=SUSPENDED">{suspendedCount}</Link>
  ) : (
    suspendedCount
  );
  return (
    <>
      <div className="bar">
        <Heading>Reach</Heading>
        {mayChange.value && (
          <TestAll
            round={round}
            last={shown?.lastTests}
            busy={tests.busy === 'all' || round !== undefined}
            onTest={tests.testAll}
          />
        )}
      </div>
      {mayChange.value && <Offline />}
      {shown && <Summary board={shown} state={state} addressOf={getStateAddress} />}
      {(shown?.suspended ?? 0) > 0 && (
        <p className="muted">
          {suspendedPeople} {shown?.suspended === 1 ? 'isn’t' : 'aren’t'} counted.
        </p>
      )}
      <search className="bar">
        <Search label="Search Users" value={list.query} onSearch={list.search} />
        <Filters values={[['all', 'reachable', 'late'].includes(state) ? '' : state, topic, team]}>
          <Select
            label="State"
            name="state"
            options={REACH_FILTERS}
            value={state as (typeof REACH_FILTERS)[number][0]}
            onChoose={(chosen) => address.change({ state: chosen, page: '' })}
          />
          <IdFilter
            label="Topic"
            name="topic"
            all="All topics"
            read={readAllTopics}
            failed={TOPICS_FAILED}
            value={topic}
            onChoose={(chosen) => address.change({ topic: chosen, page: '' })}
          />
          <IdFilter
            label="Team"
            name="team"
            all="All teams"
            read={readAllTeams}
            failed={TEAMS_FAILED}
            value={team}
            onChoose={(chosen) => address.change({ team: chosen, page: '' })}
          />
        </Filters>
        <CopyNames
          list={list}
          nameOf={({ user }) => user.username}
          read={() => readReachNames(list.query, filter)}
          max={MAX_NAMES}
          failed={REACH_FAILED}
        />
      </search>
      <Listing
        // Automatic refreshes show no loading state.
        list={{ ...list, loading: list.loading && !(refreshesForTests && shown) }}
        noun="person"
        empty={
          state ? (
            'No people in this state.'
          ) : (
            <EmptyList
              icon="check"
              title="Nothing needs your attention"
              hint="Everyone here is reachable."
            >
              <Link href={getStateAddress('all')}>Show everyone</Link>
            </EmptyList>
          )
        }
        controls={
          <Select
            label="Rows"
            name="rows"
            options={PAGE_SIZE_CHOICES}
            value={rows as '' | '50' | '100'}
            onChoose={(chosen) => address.change({ rows: chosen, page: '' })}
          />
        }
        live
      >
        {(people) => (
          <ReachTable
            people={people}
            actions={{ test: tests.testPerson, remove: setPersonToRemove, busy: tests.busy }}
          />
        )}
      </Listing>
      {personToRemove && (
        <RemoveDevice
          person={personToRemove}
          onClose={() => setPersonToRemove(undefined)}
          onDone={reload}
        />
      )}
    </>
  );

  /** A search changes the list, not the tiles: they keep counting everyone. */
  async function readBoard(request: PageRequest): Promise<ReachBoardPage> {
    const scope = `${topic} ${team}`;
    const knownSummary = cachedSummary.current?.scope === scope ? cachedSummary.current : undefined;
    const [everyonePage, page] = await Promise.all([
      request.query
        ? (knownSummary ?? readReach({ page: 1, limit: 1, query: '' }, filter))
        : undefined,
      readReach(request, filter),
    ]);
    const { summary } = everyonePage ?? page;
    cachedSummary.current = { scope, summary };
    return { ...page, summary };
  }

  function getStateAddress(stateToShow: string): string {
    return (
      location.pathname +
      formatListAddress(REACH_ADDRESS_RULES, { ...address.parts, state: stateToShow, page: '' })
    );
  }
}

const suspendedText = (count: number): string =>
  count === 1 ? '1 suspended person' : `${count.toLocaleString()} suspended people`;

const countNeedingAttention = ({ summary }: ReachBoardPage): number =>
  summary.untested + summary.silent + summary.failing + summary.no_device + summary.pending;

function Summary({
  board,
  state,
  addressOf: getStateAddress,
}: {
  board: ReachBoardPage;
  state: string;
  addressOf: (state: string) => string;
}) {
  const { late } = board.summary;
  const reachable = sumReachable(board.summary);
  const attentionCount = countNeedingAttention(board);
  return (
    <Tiles
      tiles={[
        ['all', labelWithIcon('people', <>People</>), reachable + attentionCount],
        ['reachable', labelWithIcon('shield', <>Reachable</>), reachable],
        ['late', labelWithIcon('clock', <>Reachable, but late</>), late, 'included in Reachable'],
        ['', labelWithIcon('alert', 'Needs attention'), attentionCount],
      ]}
      shown={state}
      addressOf={getStateAddress}
    />
  );
}

/** The status bar says how old the board is. */
const Offline = () => (
  <p className="chip" data-tone="warn" role="status" hidden={isConnected.value}>
    {!isConnected.value && 'You’re offline. You can test devices when you’re back online.'}
  </p>
);
