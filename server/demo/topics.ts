import { addPolicy } from '../escalation/policies';
import { changeSenders } from '../senders/senders';
import { addKey } from '../topics/keys';
import { addTopic, updateTopic, deleteTopic } from '../topics/topics';
import { insertWebhook } from '../webhooks/webhooks';
import { DAY_MS, HOUR_MS } from '../lib/durations';
import type { Company } from './company';
import { DEMO_ADMIN } from './names';
import * as names from './names';
import { subscribeTo } from './people';

export function addTopics(company: Company): void {
  const { now, plan, topics, people, topicOf, demoNetwork, keys } = company;
  const count = names.sampleTopics.length;
  for (const [place, [title, description]] of names.sampleTopics.entries())
    plan(now - (30 + (count - place) * 5) * DAY_MS, DEMO_ADMIN, async (transaction, at) => {
      const { id } = await addTopic({ title, description }, undefined, transaction, at);
      const topic = { id, title, place };
      topics.push(topic);
      const places = people.map((person) => person.place);
      await subscribeTo(topic, places, at, company, transaction);
    });
  let attempts = 0;
  plan(now - 34 * DAY_MS, DEMO_ADMIN, async (transaction, at) => {
    const fields = { title: 'Test topic', description: 'For trying things out.' };
    attempts = (await addTopic(fields, undefined, transaction, at)).id;
  });
  plan(now - 34 * DAY_MS + 2 * HOUR_MS, DEMO_ADMIN, (transaction) =>
    deleteTopic(attempts, transaction),
  );
  for (const [place, [title, name]] of names.sampleKeys.entries())
    plan(now - (33 - place) * DAY_MS, DEMO_ADMIN, async (transaction, at) => {
      const { id } = await addKey(topicOf(title), name, transaction, at);
      keys.set(title, { id, name });
    });
  for (const { path, events } of names.sampleWebhooks)
    plan(now - 29 * DAY_MS, DEMO_ADMIN, (transaction, at) => {
      const webhook = { url: demoNetwork.receiver(path), events: [...events] };
      return insertWebhook(webhook, undefined, transaction, at);
    });
  const { username, topics: sendsTo } = names.sampleSender;
  for (const title of sendsTo)
    plan(now - 27 * DAY_MS, DEMO_ADMIN, (transaction) => {
      const senders = { userIds: [company.idOf(username)], teamIds: [] };
      return changeSenders(topicOf(title).id, senders, transaction);
    });
  addPolicies(company);
}

function addPolicies({ now, plan, topicOf, demoNetwork }: Company): void {
  for (const { name, quorum, ofTopics, steps } of names.samplePolicies)
    plan(now - 28 * DAY_MS, DEMO_ADMIN, async (transaction, at) => {
      const policy = {
        name,
        quorum,
        steps: steps.map(({ minutes, action, topic, webhook }) => ({
          after: minutes * 60,
          action,
          ...(topic !== undefined && { topicId: topicOf(topic).id }),
          ...(webhook !== undefined && { url: demoNetwork.receiver(webhook) }),
        })),
      };
      const { id } = await addPolicy(policy, undefined, transaction, at);
      for (const title of ofTopics) {
        const [, description = ''] = names.sampleTopics.find(([each]) => each === title) ?? [];
        const fields = { title, description, policyId: id };
        await updateTopic(topicOf(title).id, fields, transaction, at);
      }
    });
}
