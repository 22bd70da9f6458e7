/**
 * A push service that sends hand-made HTTP/2 frames and HTTP/1.1 answers in any order and size,
 * half-closes, silence and broken TLS. What a connection to `hN.push.localhost` gets depends on the
 * seed, N and its number of connections, so a seed repeats it.
 * `node hostile-push-service.mjs KEY CERTIFICATE SEED` sends its port, and `tally()` for each
 * message.
 */
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import net from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import tls from 'node:tls';
import { fileURLToPath } from 'node:url';

/** Repeatable chance (mulberry32). */
export function createSeededChoices(seed) {
  let state = seed >>> 0;
  const roll = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const upTo = (count) => Math.floor(roll() * count);
  return {
    upTo,
    pick: (list) => list[upTo(list.length)],
    chance: (share) => roll() < share,
    bytes: (length) => Buffer.alloc(length).map(() => upTo(256)),
  };
}

const DATA = 0,
  HEADERS = 1,
  PRIORITY = 2,
  RST_STREAM = 3,
  SETTINGS = 4,
  PUSH_PROMISE = 5,
  PING = 6,
  GOAWAY = 7,
  WINDOW_UPDATE = 8,
  CONTINUATION = 9,
  ALTSVC = 10,
  ORIGIN = 12;
const END_STREAM = 1,
  ACK = 1,
  END_HEADERS = 4;

/** @param length what the frame claims */
export function encodeHttp2Frame(
  type,
  flags,
  stream,
  payload = Buffer.alloc(0),
  length = payload.length,
) {
  const head = Buffer.alloc(9);
  head.writeUIntBE(length & 0xffffff, 0, 3);
  head[3] = type;
  head[4] = flags;
  head.writeUInt32BE(stream >>> 0, 5);
  return Buffer.concat([head, payload]);
}

const uint32 = (...values) =>
  Buffer.concat(
    values.map((value) =>
      Buffer.from([value >>> 24, (value >>> 16) & 255, (value >>> 8) & 255, value & 255]),
    ),
  );
export const encodeHttp2Setting = (id, value) =>
  Buffer.concat([Buffer.from([0, id]), uint32(value)]);

/**
 * Encodes a header for HPACK without tables and Huffman codes. `keep` adds it to the dynamic table.
 */
export function encodeHpackHeader(name, value, keep = false) {
  const text = (words) =>
    Buffer.concat([prefixed(Buffer.byteLength(words), 7, 0), Buffer.from(words)]);
  return Buffer.concat([Buffer.from([keep ? 0x40 : 0]), text(name), text(value)]);
}

function prefixed(value, bits, first) {
  const most = 2 ** bits - 1;
  if (value < most) return Buffer.from([first | value]);
  const out = [first | most];
  for (value -= most; value >= 128; value >>>= 7) out.push((value & 127) | 128);
  return Buffer.from([...out, value]);
}

const repeat = (bytes, count) => Buffer.alloc(bytes.length * count, bytes);

const status = (code) => encodeHpackHeader(':status', String(code));

/** `stream` is a stream that the client opened, or could open. */
function frames(dice, stream) {
  const { pick, upTo, bytes, chance } = dice;
  const some = (count, make) => repeat(make(), 1 + upTo(count));
  const anyStream = () => pick([0, 1, 3, 5, 2, 4, stream, stream, stream, 0x7fffffff, 0xffffffff]);
  const end = () => (chance(0.5) ? END_STREAM : 0);
  return pick([
    // Servers usually send these frames.
    () => encodeHttp2Frame(HEADERS, END_HEADERS | END_STREAM, stream, status(201)),
    () =>
      encodeHttp2Frame(
        HEADERS,
        END_HEADERS,
        stream,
        status(pick([200, 201, 404, 410, 429, 500, 503])),
      ),
    () =>
      Buffer.concat([
        encodeHttp2Frame(HEADERS, END_HEADERS, stream, status(201)),
        encodeHttp2Frame(DATA, end(), stream, bytes(upTo(2000))),
      ]),
    () =>
      Buffer.concat([
        encodeHttp2Frame(HEADERS, END_HEADERS, stream, status(201)),
        encodeHttp2Frame(
          HEADERS,
          END_HEADERS | END_STREAM,
          stream,
          encodeHpackHeader('x-trailer', 'a'),
        ),
      ]),
    () =>
      encodeHttp2Frame(
        HEADERS,
        END_HEADERS,
        stream,
        Buffer.concat([
          status(429),
          encodeHpackHeader(
            'retry-after',
            pick(['9'.repeat(300), '-1', 'Infinity', '\u0000', 'soon', '1e9']),
          ),
        ]),
      ),
    // No push service should send these frames.
    () => encodeHttp2Frame(upTo(17), upTo(256), anyStream(), bytes(upTo(300))),
    () =>
      encodeHttp2Frame(
        upTo(11),
        upTo(256),
        anyStream(),
        bytes(upTo(50)),
        pick([0, 1, 8, 16_385, 0xffffff]),
      ),
    () => encodeHttp2Frame(upTo(11), upTo(64), anyStream(), Buffer.alloc(16_384)),
    () => encodeHttp2Frame(upTo(11), upTo(64), anyStream(), Buffer.alloc(pick([16_385, 40_000]))),
    () =>
      some(20, () =>
        encodeHttp2Frame(
          HEADERS,
          END_HEADERS | pick([0, 0, 0, END_STREAM]),
          stream,
          status(pick([100, 102, 103, 101, 199])),
        ),
      ),
    () =>
      encodeHttp2Frame(
        HEADERS,
        END_HEADERS | end(),
        stream,
        status(pick(['000', '999', '20', '2000', '-1', 'abc', '', '０', '200 OK'])),
      ),
    () =>
      encodeHttp2Frame(
        HEADERS,
        END_HEADERS | end(),
        stream,
        pick([
          encodeHpackHeader('X-Upper', 'a'),
          encodeHpackHeader('te', 'x'),
          encodeHpackHeader('', ''),
          encodeHpackHeader(':path', '/'),
          encodeHpackHeader('connection', 'close'),
        ]),
      ),
    () =>
      encodeHttp2Frame(
        HEADERS,
        END_HEADERS | end(),
        stream,
        Buffer.concat([
          status(201),
          encodeHpackHeader('content-length', pick(['0', '1', '99999999999', '-5', 'x'])),
        ]),
      ),
    () => encodeHttp2Frame(HEADERS, upTo(64), anyStream(), bytes(upTo(200))),
    () => encodeHttp2Frame(HEADERS, 0, stream, status(201)),
    () =>
      Buffer.concat([
        encodeHttp2Frame(HEADERS, 0, stream, status(201)),
        some(30, () =>
          encodeHttp2Frame(CONTINUATION, 0, stream, encodeHpackHeader('a', 'b'.repeat(upTo(2000)))),
        ),
        encodeHttp2Frame(CONTINUATION, pick([0, END_HEADERS]), stream),
      ]),
    () =>
      Buffer.concat([
        encodeHttp2Frame(HEADERS, 0, stream, status(201)),
        encodeHttp2Frame(PING, 0, 0, Buffer.alloc(8)),
      ]),
    () => encodeHttp2Frame(CONTINUATION, upTo(8), anyStream(), status(201)),
    // A header bomb: a large entry in the table, then a byte for each use of it.
    () =>
      encodeHttp2Frame(
        HEADERS,
        END_HEADERS | END_STREAM,
        stream,
        Buffer.concat([
          status(201),
          encodeHpackHeader('bomb', 'x'.repeat(3900), true),
          Buffer.alloc(pick([10, 1000, 10_000]), 0xbe),
        ]),
      ),
    () =>
      encodeHttp2Frame(
        HEADERS,
        END_HEADERS,
        stream,
        Buffer.concat([
          status(201),
          ...Array.from({ length: pick([70, 2000]) }, (_, index) =>
            encodeHpackHeader(`h${index}`, 'v'),
          ),
        ]),
      ),
    () =>
      Buffer.concat(
        [0, pick([4096, 4097, 2 ** 30])].map((size) =>
          encodeHttp2Frame(
            HEADERS,
            END_HEADERS,
            stream,
            Buffer.concat([prefixed(size, 5, 0x20), status(201)]),
          ),
        ),
      ),
    () => encodeHttp2Frame(DATA, end(), stream, Buffer.alloc(upTo(16_384))),
    () => some(pick([5, 60]), () => encodeHttp2Frame(DATA, 0, stream, Buffer.alloc(16_384))),
    () => some(3000, () => encodeHttp2Frame(DATA, 0, stream)),
    () => encodeHttp2Frame(DATA, 8, stream, Buffer.from([255, 0, 0])),
    () => promise(dice, stream),
    () => promise(dice, stream),
    () => some(5, () => encodeHttp2Frame(RST_STREAM, 0, anyStream(), uint32(upTo(16)))),
    () => encodeHttp2Frame(RST_STREAM, 0, stream, uint32(pick([0, 7, 8, 0xffffffff]))),
    () =>
      some(3, () =>
        encodeHttp2Frame(
          GOAWAY,
          0,
          pick([0, 0, stream]),
          Buffer.concat([
            uint32(pick([0, 1, 3, 0x7fffffff]), pick([0, 2, 11, 0xffffffff])),
            bytes(upTo(500)),
          ]),
        ),
      ),
    () =>
      some(3, () =>
        encodeHttp2Frame(
          WINDOW_UPDATE,
          0,
          anyStream(),
          uint32(pick([0, 1, 65_535, 0x7fffffff, 0xffffffff])),
        ),
      ),
    () => some(2000, () => encodeHttp2Frame(WINDOW_UPDATE, 0, 0, uint32(1))),
    () =>
      some(pick([3, 1500]), () => encodeHttp2Frame(PING, pick([0, 0, ACK]), 0, Buffer.alloc(8))),
    () => encodeHttp2Frame(PING, upTo(2), anyStream(), bytes(upTo(16))),
    () => some(pick([3, 1500]), () => encodeHttp2Frame(SETTINGS, 0, 0)),
    () => some(3, () => encodeHttp2Frame(SETTINGS, ACK, 0)),
    () =>
      encodeHttp2Frame(
        SETTINGS,
        upTo(2),
        anyStream(),
        Buffer.concat([
          encodeHttp2Setting(upTo(10), pick([0, 1, 0x7fffffff, 0xffffffff])),
          bytes(pick([0, 0, 3])),
        ]),
      ),
    () =>
      encodeHttp2Frame(
        SETTINGS,
        0,
        0,
        Buffer.concat(
          Array.from({ length: pick([2, 100, 2000]) }, () =>
            encodeHttp2Setting(upTo(10), upTo(2 ** 31)),
          ),
        ),
      ),
    () => encodeHttp2Frame(SETTINGS, 0, 0, encodeHttp2Setting(pick([1, 3, 4]), 0)),
    () =>
      some(3, () =>
        encodeHttp2Frame(
          PRIORITY,
          0,
          stream,
          Buffer.concat([uint32(pick([0, stream, 9])), Buffer.from([16])]),
        ),
      ),
    () =>
      some(pick([2, 1500]), () =>
        encodeHttp2Frame(
          ALTSVC,
          0,
          pick([0, stream]),
          Buffer.concat([Buffer.from([0, 9]), Buffer.from('https://a'), Buffer.from('h2=":443"')]),
        ),
      ),
    () =>
      some(pick([2, 1500]), () =>
        encodeHttp2Frame(
          ORIGIN,
          0,
          0,
          Buffer.concat([Buffer.from([0, 9]), Buffer.from('https://a')]),
        ),
      ),
    () => some(pick([2, 3000]), () => encodeHttp2Frame(0xfa, upTo(256), anyStream(), bytes(3))),
    () => Buffer.from('HTTP/1.1 201 Created\r\nContent-Length: 0\r\n\r\n'),
    () => bytes(upTo(3000)),
  ])();
}

/** A pushed stream without a request. */
function promise({ pick, upTo, chance }, stream) {
  const pushed = pick([2, 2, 2, 4, 1, 0, stream]);
  const request = Buffer.concat([
    encodeHpackHeader(':method', 'GET'),
    encodeHpackHeader(':scheme', 'https'),
    encodeHpackHeader(':authority', 'localhost'),
    encodeHpackHeader(':path', '/x'),
  ]);
  const parts = [
    encodeHttp2Frame(PUSH_PROMISE, END_HEADERS, stream, Buffer.concat([uint32(pushed), request])),
  ];
  if (chance(0.3))
    parts.push(
      encodeHttp2Frame(HEADERS, END_HEADERS, pushed, status(200)),
      encodeHttp2Frame(DATA, pick([0, 1]), pushed, Buffer.alloc(100)),
    );
  if (chance(0.7)) parts.push(encodeHttp2Frame(RST_STREAM, 0, pushed, uint32(upTo(14))));
  return Buffer.concat(parts);
}

function writeResponse(dice) {
  const { pick, upTo, bytes, chance } = dice;
  // Frames, as if HTTP/2 had been agreed on.
  if (chance(0.15)) return Buffer.concat([encodeHttp2Frame(SETTINGS, 0, 0), frames(dice, 1)]);
  const line = () =>
    pick([
      'HTTP/1.1 201 Created',
      'HTTP/1.1 200',
      'HTTP/1.0 201 OK',
      'HTTP/1.1 999 x',
      'HTTP/1.1 101 Switching Protocols',
      'HTTP/1.1 204 No',
      'HTTP/9.9 200 OK',
      'HTTP/1.1 0 x',
      'GET / HTTP/1.1',
      'HTTP/2 200',
    ]);
  const field = () =>
    pick([
      'Content-Length: 0',
      'Content-Length: 5',
      'Content-Length: -1',
      'Content-Length: 99999999999999999999',
      'Transfer-Encoding: chunked',
      'Transfer-Encoding: gzip, chunked',
      'Connection: close',
      'Connection: keep-alive',
      'Connection: Upgrade\r\nUpgrade: h2c',
      `Retry-After: ${'9'.repeat(upTo(50))}`,
      `X: ${'a'.repeat(upTo(20_000))}`,
      ': none',
      'no colon',
      ' folded',
      'Trailer: x',
      `A\u0000: b`,
      'Location: https://localhost/',
    ]);
  const end = () => pick(['\r\n', '\r\n', '\r\n', '\n', '']);
  const many = (count, make) => Array.from({ length: upTo(count) }, make).join('');
  return Buffer.from(
    pick([
      () => 'HTTP/1.1 201 Created\r\nContent-Length: 0\r\n\r\n',
      () => `${line()}\r\n${many(5, () => `${field()}${end()}`)}\r\n${'b'.repeat(upTo(50))}`,
      () => many(40, () => `HTTP/1.1 ${pick([100, 102, 103, 199])} Wait\r\n\r\n`),
      () => `HTTP/1.1 200 OK\r\n${many(3000, () => 'A: b\r\n')}\r\n`,
      () =>
        `HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n${many(20, () => pick(['1\r\na\r\n', 'ffffffffff\r\n', 'x\r\n', '0\r\n', `1;${'e'.repeat(upTo(2000))}\r\na\r\n`, '0\r\nTrailer: 1\r\n\r\n']))}`,
      () =>
        'HTTP/1.1 201 Created\r\nContent-Length: 0\r\n\r\nHTTP/1.1 410 Gone\r\nContent-Length: 0\r\n\r\n',
      () => `HTTP/1.1 200 OK\r\n\r\n${'c'.repeat(upTo(200_000))}`,
      () => 'HTTP/1.1 201 Created\r\nContent-Le',
      () => bytes(upTo(2000)),
    ])(),
    'latin1',
  );
}

const ENDINGS = ['end', 'end', 'destroy', 'reset', 'raw', 'stay', 'stay', 'deaf'];

/**
 * What one connection does after TLS: parts to send, each after a pause or after the client's
 * bytes.
 */
function writeScript(dice, isHttp2) {
  const { upTo, pick, chance } = dice;
  const parts = [];
  // Clients look at hardly anything without settings first.
  if (isHttp2 && chance(0.9))
    parts.push(
      encodeHttp2Frame(
        SETTINGS,
        0,
        0,
        pick([
          Buffer.alloc(0),
          encodeHttp2Setting(3, pick([0, 1, 100])),
          encodeHttp2Setting(4, pick([0, 1, 65_535])),
          encodeHttp2Setting(5, 16_384),
        ]),
      ),
    );
  if (isHttp2 && chance(0.6)) parts.push(encodeHttp2Frame(SETTINGS, ACK, 0));
  for (let count = upTo(8); count > 0; count -= 1)
    parts.push(isHttp2 ? frames(dice, pick([1, 1, 1, 3])) : writeResponse(dice));
  return {
    waitsForRequest: chance(0.7),
    parts: parts.map((bytes) => ({ bytes, after: pick([0, 0, 0, 1, 5]) })),
    ending: pick(ENDINGS),
  };
}

/**
 * @param {{ key: string, cert: string, seed: number, stays?: boolean }} options `stays`: whether
 * connections may stay open until the client ends them
 */
export async function startHostilePushService({ key, cert, seed, stays = true }) {
  const connections = new Map();
  const sockets = new Set();
  let scripts = 0;

  /** Another sequence for each connection of a host and for each purpose. */
  const diceFor = (name, purpose) =>
    createSeededChoices(
      Math.imul(seed, 1_000_003) +
        Math.imul(Number(/\d+/.exec(name)?.[0] ?? 0), 7919) +
        (connections.get(name) ?? 0) +
        purpose * 0x5eed,
    );
  const count = (name) => connections.set(name, (connections.get(name) ?? 0) + 1);
  const chooseProtocol = (name, offered) =>
    offered.includes('h2') && diceFor(name, 1).chance(0.7)
      ? 'h2'
      : offered.find((protocol) => protocol === 'http/1.1');
  const begin = (socket, name, isHttp2) => {
    scripts += 1;
    void play(socket, diceFor(name, 2), isHttp2, stays);
  };

  const overTls = tls.createServer(
    {
      key,
      cert,
      ALPNCallback: ({ servername, protocols }) => chooseProtocol(servername, protocols),
    },
    (socket) => {
      socket.on('error', () => undefined);
      begin(socket, String(socket.servername), socket.alpnProtocol === 'h2');
    },
  );
  overTls.on('tlsClientError', () => undefined);

  const server = net.createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined).on('close', () => sockets.delete(socket));
    socket.once('data', (bytes) => {
      const hello = bytes.toString('latin1');
      const plain = /^plain (\S+) (\S+)\n/.exec(hello);
      if (plain) {
        socket.pause();
        if (bytes.length > plain[0].length) socket.unshift(bytes.subarray(plain[0].length));
        return begin(socket, plain[1], plain[2] === 'h2');
      }
      // The greeting's host name is not encrypted.
      const name = /h\d+\.push\.localhost/.exec(hello)?.[0] ?? 'h0.push.localhost';
      count(name);
      if (diceFor(name, 3).chance(0.06)) {
        scripts += 1;
        return sendBadGreeting(socket, diceFor(name, 4));
      }
      socket.pause();
      socket.unshift(bytes);
      overTls.emit('connection', socket);
    });
  });

  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = /** @type {net.AddressInfo} */ (server.address());
  return {
    port,
    hostOf: (number) => `h${number}.push.localhost`,
    /**
     * Connects as if over TLS, whose handshakes are most of the work.
     * @returns {net.Socket & { alpnProtocol?: string }}
     */
    connectPlainly(name, offered) {
      count(name);
      const socket = net.connect(port, '127.0.0.1');
      const alpnProtocol = chooseProtocol(name, offered);
      socket.once('connect', () => {
        socket.write(`plain ${name} ${alpnProtocol}\n`, () => socket.emit('secureConnect'));
      });
      return Object.assign(socket, { alpnProtocol });
    },
    tally: () => ({ scripts, hosts: connections.size, open: sockets.size }),
    close() {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}

function sendBadGreeting(socket, { pick, bytes, upTo }) {
  const what = pick(['nothing', 'garbage', 'partly', 'end', 'destroy', 'plain']);
  if (what === 'garbage') socket.write(bytes(upTo(500)));
  if (what === 'partly') socket.write(Buffer.from('160303007a02000076', 'hex'));
  if (what === 'plain') socket.write('HTTP/1.1 201 Created\r\nContent-Length: 0\r\n\r\n');
  if (what === 'end') socket.end();
  if (what === 'destroy') socket.destroy();
}

async function play(socket, dice, isHttp2, stays) {
  const { waitsForRequest, parts, ending } = writeScript(dice, isHttp2);
  if (ending === 'deaf') socket.pause();
  else socket.resume();
  // The first bytes may be the preface alone.
  if (waitsForRequest && ending !== 'deaf')
    await Promise.race([once(socket, 'data'), once(socket, 'close')]).catch(() => undefined);
  for (const { bytes, after } of parts) {
    if (after) await wait(after);
    if (!socket.writable) break;
    socket.write(bytes);
  }
  if (ending === 'end') socket.end();
  if (ending === 'destroy') socket.destroy();
  const beneath = socket._parent ?? socket;
  if (ending === 'reset') beneath.resetAndDestroy();
  if (ending === 'raw') beneath.write('no TLS');
  if (!stays) setTimeout(() => socket.destroy(), 10);
}

if (process.send && process.argv[1] === fileURLToPath(import.meta.url)) {
  const [key, cert, seed] = process.argv.slice(2);
  const service = await startHostilePushService({
    key: readFileSync(key, 'utf8'),
    cert: readFileSync(cert, 'utf8'),
    seed: Number(seed),
  });
  process.send?.(service.port);
  process.on('message', () => process.send?.(service.tally()));
}
