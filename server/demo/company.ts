import type { Transaction } from 'kysely';
import type { Actor } from '../audit/record-audit';
import type { Tables } from '../db/schema';
import type { Transact } from '../http/access/authority';
import { HOUR_MS } from '../lib/durations';
import { createHistory, type SampleEvent, type History } from './history';
import type { SampleAccount } from './accounts';
import type { Phone } from './phones/phone';
import { receiverStatus, type PushService } from './phones/push-service';

/** This password is too short for real accounts; the demo bypasses the rules. */
export const DEMO_PASSWORD = 'demo';

const OFFICE = '203.0.113.0/24';
const FAILING_FOR_MS = 20 * HOUR_MS;

export interface SamplePerson extends SampleAccount {
  id: number;
  place: number;
}

export interface SampleTopic {
  id: number;
  title: string;
  place: number;
}

export type DemoNetwork = Pick<PushService, 'endpoint' | 'receiver'>;

export interface Company {
  now: number;
  demoNetwork: DemoNetwork;
  history: History;
  people: SamplePerson[];
  topics: SampleTopic[];
  keys: Map<string, { id: number; name: string }>;
  phones: Map<string, Phone>;
  events: SampleEvent[];
  idOf(username: string): number;
  topicOf(title: string): SampleTopic;
  /** Plans what an actor does at that time, with the clock at it. */
  plan(
    at: number,
    by: string | Actor,
    run: (transaction: Transaction<Tables>, at: number) => Promise<unknown>,
    more?: Pick<SampleEvent, 'network' | 'isSending'>,
  ): void;
}

export function createCompany(
  installation: Parameters<typeof createHistory>[0],
  now: number,
  demoNetwork: DemoNetwork,
): Company {
  const company: Company = {
    now,
    demoNetwork,
    history: createHistory(installation, (url, at) =>
      at < now - FAILING_FOR_MS ? 204 : receiverStatus(new URL(url).pathname),
    ),
    people: [],
    topics: [],
    keys: new Map(),
    phones: new Map(),
    events: [],
    idOf: (username) =>
      requireItem(company.people, (person) => person.username === username, username).id,
    topicOf: (title) => requireItem(company.topics, (topic) => topic.title === title, title),
    plan(when, by, run, more = {}) {
      const at = Math.floor(when);
      company.events.push({
        at,
        network: OFFICE,
        ...more,
        by: () => (typeof by === 'string' ? { person: company.idOf(by) } : by),
        run: (transaction) => run(transaction, at),
      });
    },
  };
  return company;
}

/** Runs a route's change in the transaction of the history. */
export const transactIn =
  (transaction: Transaction<Tables>): Transact =>
  (work) =>
    work(transaction);

function requireItem<Item>(
  items: readonly Item[],
  isIt: (item: Item) => boolean,
  name: string,
): Item {
  const item = items.find(isIt);
  if (item === undefined) throw new Error(`The sample has no ${name} at that time`);
  return item;
}
