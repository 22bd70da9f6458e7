/** A name server on loopback whose answers a test sets. UDP, and TCP where noted. */
import dgram from 'node:dgram';
import { once } from 'node:events';
import net from 'node:net';

/**
 * The answer for a name: addresses, or a fault. `truncated` answers in full over TCP only. `late`
 * is answered by `release`, for both families or one.
 * @typedef {{ a?: string[], aaaa?: string[], ttl?: number, cname?: string, silent?: 'a' | 'aaaa',
 * failing?: 'a' | 'aaaa', kind?: undefined } & { truncated?: boolean, late?: boolean | 'a' | 'aaaa' }
 * | { kind: 'silent' | 'garbage' | 'wrong-id' | 'absent' | 'failing' }} DnsAnswer
 */

const RECORD_TYPES = { 1: 'a', 5: 'cname', 28: 'aaaa' };
const RESPONSE_CODES = { failing: 2, absent: 3 };

/**
 * @returns {Promise<{ address: string, names: Map<string, DnsAnswer>, questions: string[], release: () =>
 * void, close: () => void }>} `names` has the answers, `questions` each question: `a push.example`.
 */
export async function startDnsServer() {
  /** @type {Map<string, DnsAnswer>} */
  const names = new Map();
  /** @type {string[]} */
  const questions = [];
  /** @type {(() => void)[]} */
  let held = [];

  const handle = (query, overTcp, reply) => {
    const { name, type, end } = readQuestion(query);
    const recordType = RECORD_TYPES[type];
    questions.push(`${recordType} ${name}`);
    const answer = names.get(name) ?? { kind: 'absent' };
    if (answer.kind === 'silent' || ('silent' in answer && answer.silent === recordType)) return;
    if (answer.kind === 'garbage')
      return reply(Buffer.from(Array.from({ length: 64 }, (_, index) => (index * 37) % 256)));
    const question = query.subarray(0, end);
    if (answer.kind === 'wrong-id') {
      const response = writeResponse(question, 0, [record('a', '203.0.113.66', 60)], false);
      response.writeUInt16BE(response.readUInt16BE(0) ^ 0x5555, 0);
      return reply(response);
    }
    if (answer.kind) return reply(writeResponse(question, RESPONSE_CODES[answer.kind], [], false));
    if (answer.failing === recordType)
      return reply(writeResponse(question, RESPONSE_CODES.failing, [], false));
    const { ttl = 60, cname, truncated, late } = answer;
    const target = cname ? { ...names.get(cname) } : answer;
    const records = (target[recordType] ?? []).map((address) =>
      record(recordType, address, ttl, cname),
    );
    if (cname) records.unshift(record('cname', cname, ttl));
    const respond = () =>
      reply(
        truncated && !overTcp
          ? writeResponse(question, 0, [], true)
          : writeResponse(question, 0, records, false),
      );
    if (late === true || late === recordType) held.push(respond);
    else respond();
  };

  const udp = dgram.createSocket('udp4');
  udp.on('message', (query, from) =>
    handle(query, false, (response) => udp.send(response, from.port, from.address)),
  );
  const tcp = net.createServer((socket) => {
    socket.on('error', () => undefined);
    let rest = Buffer.alloc(0);
    socket.on('data', (data) => {
      rest = Buffer.concat([rest, data]);
      while (rest.length >= 2 && rest.length >= 2 + rest.readUInt16BE(0)) {
        const query = rest.subarray(2, 2 + rest.readUInt16BE(0));
        rest = rest.subarray(2 + query.length);
        handle(query, true, (response) =>
          socket.write(Buffer.concat([uint16(response.length), response])),
        );
      }
    });
  });
  tcp.listen(0, '127.0.0.1');
  await once(tcp, 'listening');
  const { port } = /** @type {net.AddressInfo} */ (tcp.address());
  udp.bind(port, '127.0.0.1');
  await once(udp, 'listening');
  return {
    address: `127.0.0.1:${port}`,
    names,
    questions,
    release() {
      for (const reply of held) reply();
      held = [];
    },
    close() {
      udp.close();
      tcp.close();
    },
  };
}

const uint16 = (value) => Buffer.from([value >> 8, value & 255]);

function readQuestion(query) {
  const labels = [];
  let at = 12;
  for (; query[at] !== 0; at += query[at] + 1)
    labels.push(query.toString('latin1', at + 1, at + 1 + query[at]));
  return { name: labels.join('.').toLowerCase(), type: query.readUInt16BE(at + 1), end: at + 5 };
}

function writeName(name) {
  return Buffer.concat([
    ...name
      .split('.')
      .map((label) => Buffer.concat([Buffer.from([label.length]), Buffer.from(label)])),
    Buffer.from([0]),
  ]);
}

/** A record of the name, or of its CNAME's target. */
function record(kind, value, ttl, owner) {
  const type = Number(Object.keys(RECORD_TYPES).find((number) => RECORD_TYPES[number] === kind));
  const data =
    kind === 'cname'
      ? writeName(value)
      : kind === 'a'
        ? Buffer.from(value.split('.').map(Number))
        : writeIPv6(value);
  const life = Buffer.alloc(4);
  life.writeUInt32BE(ttl);
  return Buffer.concat([
    owner ? writeName(owner) : Buffer.from([0xc0, 12]),
    uint16(type),
    uint16(1),
    life,
    uint16(data.length),
    data,
  ]);
}

function writeIPv6(address) {
  const [head = '', tail = ''] = address.split('::');
  const groups = (text) =>
    text
      .split(':')
      .filter(Boolean)
      .map((group) => uint16(Number.parseInt(group, 16)));
  const [first, last] = [groups(head), groups(tail)];
  return Buffer.concat([...first, Buffer.alloc(16 - 2 * (first.length + last.length)), ...last]);
}

function writeResponse(question, rcode, records, isTruncated) {
  const header = Buffer.from(question);
  header[2] = 0x81 | (isTruncated ? 2 : 0);
  header[3] = 0x80 | rcode;
  header.writeUInt16BE(1, 4);
  header.writeUInt16BE(records.length, 6);
  header.writeUInt32BE(0, 8);
  return Buffer.concat([header, ...records]);
}
