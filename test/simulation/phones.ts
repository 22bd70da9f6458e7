/** Phones outside any browser: known by the app's calls and a push service of ours. */
import { sinkReplyWithStatus, type PushSink } from '../support/push-services/push-sink';
import type { PushSubscriber } from '../support/push-services/subscriber';

interface Phone {
  subscriber: PushSubscriber;
  token: string;
  /** What was sent to it, by the expected data. */
  sent: string[];
  /** Discarded: its push service answers that the subscription is gone. */
  gone: boolean;
}

export class SimulatedPhones {
  readonly #phones = new Map<string, Phone>();

  constructor(
    private readonly address: string,
    private readonly sink: PushSink,
  ) {}

  /**
   * A new phone of someone who signs in on it.
   * @returns its name
   */
  async register(username: string, password: string): Promise<string> {
    const name = `phone-${this.#phones.size + 1}`;
    const { token, subscriber } = this.sink.subscribe(name);
    this.#phones.set(name, { subscriber, token, sent: [], gone: false });
    await this.#ask(username, password, 'POST /api/notifications/register-device', {
      deviceToken: token,
      deviceType: 'android',
      userAgent: name,
    });
    return name;
  }

  async unregister(username: string, password: string, name: string): Promise<void> {
    await this.#ask(username, password, 'DELETE /api/notifications/unregister-device', {
      deviceToken: this.#phones.get(name)?.token,
    });
  }

  /** The push service answers from now on that it is gone. */
  discardPhone(name: string): void {
    this.sink.replies.set(`/${name}`, sinkReplyWithStatus(410));
    this.#of(name).gone = true;
  }

  isGone = (name: string): boolean => this.#phones.get(name)?.gone ?? false;

  /** Records a message to these devices. */
  recordSentMessage(names: readonly string[], text: string): void {
    for (const name of names) if (name) this.#of(name).sent.push(text);
  }

  /** Describes each phone that received anything other than what was sent. */
  listDeliveryFaults(): string[] {
    return [...this.#phones].flatMap(([name, { subscriber, sent, gone }]) => {
      if (gone) return [];
      const receivedPushes = this.sink.receivedPushes
        .filter(({ path }) => path === `/${name}`)
        .map(({ body }) => (subscriber.read(body) as { data: { body: string } }).data.body);
      const [expectedTexts, actualTexts] = [
        [...sent].sort().join(' | '),
        [...receivedPushes].sort().join(' | '),
      ];
      return expectedTexts === actualTexts
        ? []
        : [
            `${name} should have got ${expectedTexts || 'nothing'} and got ${actualTexts || 'nothing'}`,
          ];
    });
  }

  #of(name: string): Phone {
    const phone = this.#phones.get(name);
    if (!phone) throw new Error(`There is no ${name}`);
    return phone;
  }

  async #ask(username: string, password: string, call: string, body: object): Promise<void> {
    const { token } = (await post(`${this.address}/api/auth/login`, 'POST', {
      username,
      password,
    })) as { token: string };
    const [method = '', path = ''] = call.split(' ');
    await post(this.address + path, method, body, token);
  }
}

async function post(url: string, method: string, body: object, token = ''): Promise<unknown> {
  const response = await fetch(url, {
    method,
    headers: {
      'Content-Type': 'application/json',
      ...(token && { Authorization: `Bearer ${token}` }),
    },
    body: JSON.stringify(body),
  });
  if (!response.ok)
    throw new Error(`${method} ${url} answered ${response.status}: ${await response.text()}`);
  return response.json();
}
