import { addMembers } from '../teams/members';
import { addTeam } from '../teams/teams';
import { addTeams } from '../teams/topics';
import { DAY_MS, HOUR_MS } from '../lib/durations';
import type { Company } from './company';
import { DEMO_ADMIN, sampleTeams } from './names';

export function addSampleTeams({ now, plan, people, topicOf }: Company): void {
  for (const [nth, { topics, ...fields }] of sampleTeams.entries())
    plan(now - 21 * DAY_MS + nth * HOUR_MS, DEMO_ADMIN, async (transaction, at) => {
      const { id } = await addTeam(fields, undefined, transaction, at);
      const technicians = people.filter(({ role }) => role === 'TECHNICIAN');
      // The last one takes some from each of the others.
      const members = technicians.filter((_, place) =>
        nth === 2 ? place % 5 < 2 : place % 2 === nth,
      );
      const userIds = members.map((person) => person.id);
      await addMembers({ teamId: id, userIds }, transaction, at);
      for (const title of topics) {
        const teamSubscription = { topicId: topicOf(title).id, teamIds: [id] };
        await addTeams(teamSubscription, transaction, at);
      }
    });
}
