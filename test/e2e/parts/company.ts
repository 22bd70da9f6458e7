/** A company on an empty installation, set up over HTTP. */
import { equal } from 'node:assert/strict';
import type {
  ResponseOf,
  Escalation,
  MessageOptions,
  OwnDevice,
  Policy,
  Role,
  SentMessage,
  DeviceTest,
  Topic,
  UserPage,
} from '../../../src/shared/contract';
import type { Language } from '../../../src/shared/languages';
import { ADMIN_PASSWORD } from '../../support/processes/installation';

export const PERSON_PASSWORD = 'four-words-in-a-row';

export class Company {
  readonly #address: string;
  readonly #admin: string;

  private constructor(address: string, admin: string) {
    this.#address = address;
    this.#admin = admin;
  }

  static async connect(address: string): Promise<Company> {
    return new Company(address, await logIn(address, 'admin', ADMIN_PASSWORD));
  }

  /** Resolves with the topic's id. */
  async addTopic(title: string): Promise<number> {
    const { id } = await requestJson<Topic>(this.#address, this.#admin, 'POST /api/admin/topics', {
      title,
      description: `About ${title}`,
    });
    return id;
  }

  /** A technician with `PERSON_PASSWORD`, subscribed to these topics. */
  async addTechnician(username: string, topics: number[]): Promise<void> {
    const id = await this.#hire(username, 'TECHNICIAN');
    for (const topicId of topics) await this.subscribe(id, topicId);
  }

  async addAdmin(username: string): Promise<void> {
    await this.#hire(username, 'ADMIN');
  }

  /** A technician who has not registered. Resolves with the link of the invitation. */
  async inviteTechnician(username: string, topics: number[], language: Language): Promise<string> {
    const { user, registrationLink } = await this.#invite(username, 'TECHNICIAN');
    const call = `PUT /api/admin/users/${user.id}/language`;
    await requestJson(this.#address, this.#admin, call, { language });
    for (const topicId of topics) await this.subscribe(user.id, topicId);
    return registrationLink;
  }

  #invite(
    username: string,
    role: Role,
  ): Promise<{ user: { id: number }; registrationLink: string }> {
    return requestJson(this.#address, this.#admin, 'POST /api/admin/users', { username, role });
  }

  async #hire(username: string, role: Role): Promise<number> {
    const { user, registrationLink } = await this.#invite(username, role);
    const token = registrationLink.split('/').pop();
    await requestJson(this.#address, '', 'POST /api/auth/complete-registration', {
      token,
      email: `${username}@northgrid.example`,
      password: PERSON_PASSWORD,
    });
    return user.id;
  }

  async subscribe(userId: number, topicId: number): Promise<void> {
    await requestJson(this.#address, this.#admin, 'POST /api/admin/subscriptions', {
      userId,
      topicId,
    });
  }

  async unsubscribe(userId: number, topicId: number): Promise<void> {
    await requestJson(this.#address, this.#admin, 'DELETE /api/admin/subscriptions', {
      userId,
      topicId,
    });
  }

  /** Resolves with the message's id. */
  async sendMessage(
    topicId: number,
    message: string,
    options: MessageOptions = {},
  ): Promise<string> {
    const { messageId } = await requestJson<{ messageId: string }>(
      this.#address,
      this.#admin,
      `POST /api/admin/notifications/send-topic/${topicId}`,
      { message, ...options },
    );
    return messageId;
  }

  readMessage(messageId: string): Promise<SentMessage> {
    return requestJson(this.#address, this.#admin, `GET /api/admin/messages/${messageId}`);
  }

  async readInbox(username: string): Promise<ResponseOf<'GET /api/notifications/messages'>> {
    const token = await this.#tokenOf(username);
    return requestJson(this.#address, token, 'GET /api/notifications/messages?limit=100');
  }

  async listDeviceTokens(username: string): Promise<string[]> {
    return (await this.listDevices(username)).map(({ deviceToken }) => deviceToken);
  }

  async findUserId(username: string): Promise<number> {
    const call = `GET /api/admin/users?limit=100&query=${encodeURIComponent(username)}`;
    const { users } = await requestJson<UserPage>(this.#address, this.#admin, call);
    const foundUser = users.find((user) => user.username === username);
    if (!foundUser) throw new Error(`No user is called ${username}.`);
    return foundUser.id;
  }

  async listPolicies(): Promise<Policy[]> {
    const call = 'GET /api/admin/policies';
    return (await requestJson<{ policies: Policy[] }>(this.#address, this.#admin, call)).policies;
  }

  readEscalation(messageId: string): Promise<Escalation> {
    return requestJson(
      this.#address,
      this.#admin,
      `GET /api/admin/messages/${messageId}/escalation`,
    );
  }

  async readLastMessage(): Promise<SentMessage> {
    const call = 'GET /api/admin/messages?limit=1';
    const { messages } = await requestJson<ResponseOf<'GET /api/admin/messages'>>(
      this.#address,
      this.#admin,
      call,
    );
    return messages[0]!;
  }

  async listTopicIds(): Promise<number[]> {
    const call = 'GET /api/admin/topics?limit=100';
    const { topics } = await requestJson<{ topics: Topic[] }>(this.#address, this.#admin, call);
    return topics.map(({ id }) => id);
  }

  listAdminDevices(): Promise<OwnDevice[]> {
    return requestJson(this.#address, this.#admin, 'GET /api/notifications/devices');
  }

  listDevices(username: string): Promise<OwnDevice[]> {
    return this.callAs(username, 'GET /api/notifications/devices');
  }

  readDeviceTest(username: string, id: string): Promise<DeviceTest> {
    return this.callAs(username, `GET /api/notifications/tests/${id}`);
  }

  /** The answer to a call of a person with `PERSON_PASSWORD`. */
  async callAs<Result>(username: string, call: string, body?: object): Promise<Result> {
    return requestJson(this.#address, await this.#tokenOf(username), call, body);
  }

  /** The status of the answer, which may be a rejection. */
  async readStatusOf(username: string, call: string, body?: object): Promise<number> {
    return (await requestApi(this.#address, await this.#tokenOf(username), call, body)).status;
  }

  async #tokenOf(username: string): Promise<string> {
    const token =
      this.#tokens.get(username) ?? (await logIn(this.#address, username, PERSON_PASSWORD));
    this.#tokens.set(username, token);
    return token;
  }
  readonly #tokens = new Map<string, string>();
}

const logIn = async (address: string, username: string, password: string) =>
  (
    await requestJson<{ token: string }>(address, '', 'POST /api/auth/login', {
      username,
      password,
    })
  ).token;

async function requestJson<Result>(
  ...requestArguments: Parameters<typeof requestApi>
): Promise<Result> {
  const response = await requestApi(...requestArguments);
  const text = await response.text();
  equal(response.ok, true, `${requestArguments[2]} answered ${response.status}: ${text}`);
  return JSON.parse(text) as Result;
}

/** @param token of a sign-in, or a device key */
export function requestApi(
  address: string,
  token: string,
  call: string,
  body?: object,
): Promise<Response> {
  const [method, path = ''] = call.split(' ');
  const headers: Record<string, string> = {
    'Content-Type': 'application/json',
    // The server may close a kept connection just when it is used again.
    Connection: 'close',
    ...(token && { Authorization: `Bearer ${token}` }),
  };
  return fetch(address + path, { method, headers, ...(body && { body: JSON.stringify(body) }) });
}
