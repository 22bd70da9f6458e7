import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { readAllTopics } from '../../../../src/state/topics/all-topics';
import { fakeApi } from '../../../support/app/app';
import { numbersUpTo, createTopic, topicPages } from '../../../support/app/factories/people';
import { endSession, signInAs } from '../../../support/app/session';

const test = suite('all topics at once');
const TOPICS = 'GET /api/admin/topics';

test.before.each(() => {
  fakeApi.install();
  signInAs('ADMIN');
});
test.after.each(() => {
  endSession();
  fakeApi.remove();
});

const requestCount = () => fakeApi.requestsTo(TOPICS).length;

test('sorts topics by title, once each though pages overlap', async () => {
  const titles = ['Storms', 'outages', 'Ångström', 'Feeders'];
  const topics = titles.map((title, index) => createTopic(index + 1, { title }));
  fakeApi.reply(TOPICS, ({ query }) => ({
    topics: query.page === '1' ? topics.slice(0, 3) : topics.slice(1),
    total: 6,
    page: Number(query.page),
    limit: 3,
  }));
  assert.equal(
    (await readAllTopics()).map(({ title }) => title),
    ['Ångström', 'Feeders', 'outages', 'Storms'],
  );
  assert.is(requestCount(), 2);
});

test('reads a thousand topics at most, and no page after the last', async () => {
  for (const [topics, read, pages] of [
    [0, 0, 1],
    [100, 100, 1],
    [101, 101, 2],
    [1200, 1000, 10],
  ] as const) {
    const before = requestCount();
    fakeApi.reply(TOPICS, topicPages(numbersUpTo(topics).map((id) => createTopic(id))));
    assert.is((await readAllTopics()).length, read);
    assert.is(requestCount() - before, pages);
  }
  fakeApi.reply(TOPICS, { topics: [], total: 700, page: 1, limit: 100 });
  const before = requestCount();
  assert.equal(await readAllTopics(), []);
  assert.is(requestCount() - before, 1, 'a server whose pages end too soon');
});

test.run();
