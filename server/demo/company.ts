/** The sample while it is made: who and what there is so far, and all that is to happen. */
import type { Transaction } from 'kysely';
import type { Actor } from '../audit/record';
import type { Tables } from '../db/schema';
import type { Transact } from '../http/access/authority';
import { createHistory, type Happening, type History } from './history';
import type { Account } from './accounts';
import type { Phone } from './phone';
import { answerOf, type PushService } from './push-service';

export const MINUTE = 60 * 1000;
export const HOUR = 60 * MINUTE;
export const DAY = 24 * HOUR;

/** Too short for anyone but the demo, which writes it past the rules. */
export const DEMO_PASSWORD = 'demo';

const OFFICE = '203.0.113.0/24';
/** The receiver that fails has done so since then. */
const FAILING_FOR = 20 * HOUR;

export interface Person extends Account {
  id: number;
  /** The how many-th account it is. */
  place: number;
}

export interface Topic {
  id: number;
  title: string;
  place: number;
}

/** Where the phones and the webhooks of the sample are. */
export type Outside = Pick<PushService, 'endpoint' | 'receiver'>;

export interface Company {
  now: number;
  outside: Outside;
  history: History;
  people: Person[];
  topics: Topic[];
  /** By the title of its topic, its newest key. */
  keys: Map<string, { id: number; name: string }>;
  /** By the ends of their endpoints. */
  phones: Map<string, Phone>;
  happenings: Happening[];
  /** @throws if nobody is called so yet */
  idOf(username: string): number;
  /** @throws if no topic is called so yet */
  topicOf(title: string): Topic;
  /** Notes what an account, or what else has a name, does then. The clock is at that time. */
  happen(
    at: number,
    by: string | Actor,
    run: (transaction: Transaction<Tables>, at: number) => Promise<unknown>,
    more?: Pick<Happening, 'network' | 'isSending'>,
  ): void;
}

export function createCompany(
  installation: Parameters<typeof createHistory>[0],
  now: number,
  outside: Outside,
): Company {
  const company: Company = {
    now,
    outside,
    history: createHistory(installation, (url, at) =>
      at < now - FAILING_FOR ? 204 : answerOf(new URL(url).pathname),
    ),
    people: [],
    topics: [],
    keys: new Map(),
    phones: new Map(),
    happenings: [],
    idOf: (username) => found(company.people, (each) => each.username === username, username).id,
    topicOf: (title) => found(company.topics, (each) => each.title === title, title),
    happen(when, by, run, more = {}) {
      const at = Math.floor(when);
      company.happenings.push({
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

/** What routes do in a transaction of their own is done in that of the history. */
export const within =
  (transaction: Transaction<Tables>): Transact =>
  (work) =>
    work(transaction);

function found<Item>(items: readonly Item[], isIt: (item: Item) => boolean, name: string): Item {
  const item = items.find(isIt);
  if (item === undefined) throw new Error(`The sample has nothing called ${name} at that time`);
  return item;
}
