/** Whom a webhook calls: it takes everything, checks signatures, and keeps what it was told. */
import { createHmac } from 'node:crypto';
import { answering, startTlsServer, type Call } from '../push-services/tls-server';

export interface Receiver {
  /** What a webhook is made for. */
  url: string;
  /** For WEBHOOK_ALLOWED_HOSTS. */
  host: string;
  /** The oldest first. */
  calls: Call[];
  /** From now on calls are answered so; at first by 204. */
  answer(status: number): void;
  close(): Promise<void>;
}

export async function startReceiver(): Promise<Receiver> {
  const calls: Call[] = [];
  let status = 204;
  const { port, close } = await startTlsServer(
    answering((call) => {
      calls.push(call);
      return { status };
    }),
  );
  const host = `localhost:${port}`;
  return {
    url: `https://${host}/fieldbell`,
    host,
    calls,
    answer(to) {
      status = to;
    },
    close,
  };
}

/**
 * Whether a call bears the signature that Standard Webhooks asks for.
 * @param secret as it was shown: `whsec_` and base64
 */
export function isSigned({ headers, body }: Call, secret: string): boolean {
  const [id, timestamp] = [headers['webhook-id'], headers['webhook-timestamp']];
  const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64');
  const signature = createHmac('sha256', key).update(`${id}.${timestamp}.`).update(body);
  return String(headers['webhook-signature'])
    .split(' ')
    .includes(`v1,${signature.digest('base64')}`);
}
