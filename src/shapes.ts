/** Examples of the contract's shapes, against which `call` checks answers. `null` stands for anything. */
import type { Subscriber, Subscription, Topic, TopicPage, User, UserPage } from './contract';

const page = { total: 0, page: 1, limit: 10 };

export const topic: Topic = { id: 0, title: '', description: '', createdAt: '', updatedAt: '' };
export const topicPage: TopicPage = { topics: [topic], ...page };
export const user: User = { id: 0, username: '', email: null, role: 'CUSTOMER', status: 'PENDING', createdAt: '' };
export const userPage: UserPage = { users: [user], ...page };
export const subscriptions: Subscription[] = [{ id: 0, createdAt: '', topic: { id: 0, title: '', description: '' } }];
export const subscribers: Subscriber[] = [
  { id: 0, createdAt: '', user: { username: '', role: 'CUSTOMER' }, notificationStatus: 'enabled', enabledDevices: 0, totalDevices: 0 },
];
