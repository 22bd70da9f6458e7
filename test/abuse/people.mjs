/** Subscribers written straight into the database: registering thousands would take minutes. */
import { createECDH, createHash, createHmac, randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import Database from 'libsql';
import pg from 'pg';

const ROWS_PER_INSERT = 500;

/** @param run runs one statement with `?` for each value */
async function insertRows(run, table, columns, rows) {
  for (let firstRow = 0; firstRow < rows.length; firstRow += ROWS_PER_INSERT) {
    const batch = rows.slice(firstRow, firstRow + ROWS_PER_INSERT);
    const placeholders = batch.map((row) => `(${row.map(() => '?').join(', ')})`).join(', ');
    await run(`insert into ${table} (${columns.join(', ')}) values ${placeholders}`, batch.flat());
  }
}

/**
 * Opens the server's database in a second process.
 * @param {{ DATA_DIR?: string, DATABASE_URL?: string }} environment
 */
export async function openServerDatabase({ DATA_DIR = '', DATABASE_URL }) {
  if (!DATABASE_URL) {
    const database = new Database(path.join(DATA_DIR, 'fieldbell.db'), { timeout: 5000 });
    return {
      run: async (statement, values = []) => void database.prepare(statement).run(values),
      all: async (statement) => database.prepare(statement).all([]),
      close: async () => database.close(),
    };
  }
  const pool = new pg.Pool({ connectionString: DATABASE_URL, max: 1, idleTimeoutMillis: 0 });
  const numberPlaces = (statement) => {
    let place = 0;
    return statement.replace(/\?/g, () => `$${++place}`);
  };
  return {
    run: async (statement, values = []) => void (await pool.query(numberPlaces(statement), values)),
    all: async (statement) => (await pool.query(statement)).rows,
    close: () => pool.end(),
  };
}

async function addPushServices(database, origins) {
  const knownOrigins = new Set(
    (await database.all('select origin from push_services')).map(({ origin }) => origin),
  );
  await insertRows(
    database.run,
    'push_services',
    ['origin'],
    origins.filter((origin) => !knownOrigins.has(origin)).map((origin) => [origin]),
  );
  return new Map(
    (await database.all('select id, origin from push_services')).map(({ id, origin }) => [
      origin,
      Number(id),
    ]),
  );
}

/**
 * @param place the push service of all devices, or a function from a device's number to its push
 * service
 * @param first the id of the first new user
 */
export async function addSubscribers(database, topicId, count, place, first = 1_000_000) {
  const keys = {
    p256dh: createECDH('prime256v1').generateKeys('base64url'),
    auth: randomBytes(16).toString('base64url'),
  };
  const userIds = Array.from({ length: count }, (_, index) => first + index);
  const serviceOfDevice = (id) => (typeof place === 'function' ? place(id - first) : place);
  const services = await addPushServices(database, [
    ...new Set(userIds.map((id) => new URL(serviceOfDevice(id)).origin)),
  ]);
  await addPeople(database, topicId, userIds);
  const devices = userIds.map((id) => {
    const token = JSON.stringify({
      endpoint: `${serviceOfDevice(id)}/${id}`,
      expirationTime: null,
      keys,
    });
    const hash = createHash('sha256').update(token).digest('base64url');
    return [id, token, hash, 'web', '', 0, 0, services.get(new URL(serviceOfDevice(id)).origin)];
  });
  await insertRows(
    database.run,
    'devices',
    [
      'user_id',
      'token',
      'token_hash',
      'type',
      'user_agent',
      'created_at',
      'last_seen_at',
      'service_id',
    ],
    devices,
  );
}

export async function addPeople(database, topicId, userIds) {
  const users = userIds.map((id) => [
    id,
    `subscriber ${id}`,
    `subscriber ${id}`,
    'TECHNICIAN',
    'ACTIVE',
    0,
  ]);
  await insertRows(
    database.run,
    'users',
    ['id', 'username', 'username_key', 'role', 'status', 'created_at'],
    users,
  );
  await insertRows(
    database.run,
    'subscriptions',
    ['user_id', 'topic_id', 'created_at'],
    userIds.map((id) => [id, topicId, 0]),
  );
}

/** The keys of all devices in the order of their ids. The secret may be in the folder. */
export async function createKeys(database, { DATA_DIR = '', JWT_SECRET = '' }) {
  const secret = JWT_SECRET || (await readFile(path.join(DATA_DIR, 'jwt-secret'), 'utf8')).trim();
  await database.run("update devices set key_nonce = 'nonce-' || id");
  const devices = await database.all('select id, key_nonce from devices order by id');
  return devices.map(({ id, key_nonce }) => {
    const hmac = createHmac('sha256', secret).update(`device-key\0${id}\0${key_nonce}`);
    return `${id}.${hmac.digest('base64url')}`;
  });
}
