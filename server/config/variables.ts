import * as v from 'valibot';
import { LEVELS } from '../lib/log';
import { isConnectionString } from '../db/engines/postgres';
import { MAX_USERNAME } from '../../src/shared/contract/fields';
import { LANGUAGE_CODES } from '../../src/shared/languages';
import {
  isContact,
  isHost,
  isHostPort,
  isIssuer,
  isMailAddress,
  isMailServer,
  isNetwork,
  isOrigin,
  isRootAddress,
  isWebAddress,
  hasProtocol,
} from './formats';

/** HS256 needs a key with as many bits as its hash (RFC 7518, section 3.2). */
export const SECRET_BYTES = 32;

const list = v.pipe(
  v.string(),
  v.transform((text) =>
    text
      .split(',')
      .map((item) => item.trim())
      .filter((item) => item !== ''),
  ),
);

const hosts = v.optional(
  v.pipe(
    list,
    v.everyItem(
      isHostPort,
      'must list hosts such as gate.internal or gate.internal:8443, without https://',
    ),
  ),
  '',
);

const days = (fallback: string) =>
  v.optional(
    v.pipe(
      v.string(),
      v.regex(/^\d+$/, 'must be a number of days, such as 365'),
      v.transform(Number),
      v.minValue(30, 'must be at least 30 days'),
      v.maxValue(3650, 'must be at most 3650 days'),
    ),
    fallback,
  );

/** Each error text completes a sentence that starts with the variable's name. */
export const settingsSchema = v.object({
  PORT: v.optional(
    v.pipe(
      v.string(),
      v.regex(/^\d+$/, 'must be a port number, such as 3000'),
      v.transform(Number),
      v.maxValue(65_535, 'must be at most 65535'),
    ),
    '3000',
  ),
  HOST: v.optional(
    v.pipe(
      v.string(),
      v.check(isHost, 'must be an address of this machine, such as 127.0.0.1 or ::1'),
    ),
  ),
  PUBLIC_URL: v.optional(
    v.pipe(
      v.string(),
      v.check(isWebAddress, 'must be a URL such as https://bell.example'),
      v.check(
        isRootAddress,
        'must be a URL such as https://bell.example, without a path, query or username',
      ),
    ),
  ),
  DATA_DIR: v.optional(v.string(), './data'),
  DATABASE_URL: v.optional(
    v.pipe(
      v.string(),
      v.check(
        hasProtocol('postgres:', 'postgresql:'),
        'must begin with postgres:// and be a URL such as postgres://USER:PASSWORD@HOST/DATABASE. Write special characters of the password as % and two hexadecimal digits, such as %2F for /',
      ),
      v.check(
        isConnectionString,
        'is not a valid connection URL. Check its parameters, and the files that they point to',
      ),
    ),
  ),
  JWT_SECRET: v.optional(
    v.pipe(
      v.string(),
      v.check(
        (text) => Buffer.byteLength(text) >= SECRET_BYTES,
        `must have at least ${SECRET_BYTES} bytes. If it is not set, Fieldbell creates a secret`,
      ),
    ),
  ),
  CORS_ORIGINS: v.optional(
    v.pipe(
      list,
      v.everyItem(isOrigin, 'must list origins such as https://app.example, without a path'),
    ),
    '',
  ),
  TRUSTED_PROXIES: v.optional(
    v.pipe(
      list,
      v.everyItem(isNetwork, 'must list IP addresses or networks such as 10.0.0.1 or 10.0.0.0/8'),
    ),
    '',
  ),
  PUSH_ALLOWED_HOSTS: hosts,
  WEBHOOK_ALLOWED_HOSTS: hosts,
  FIREBASE_SERVICE_ACCOUNT: v.optional(v.string()),
  SMTP_URL: v.optional(
    v.pipe(
      v.string(),
      v.check(hasProtocol('smtp:', 'smtps:'), 'must begin with smtp:// or smtps://'),
      v.check(
        isMailServer,
        'must include a host, such as smtp://user:password@mail.example:587. Write % as %25',
      ),
    ),
  ),
  MAIL_FROM: v.optional(
    v.pipe(
      v.string(),
      v.check(isMailAddress, 'must be an email address such as Fieldbell <no-reply@bell.example>'),
    ),
  ),
  VAPID_SUBJECT: v.optional(
    v.pipe(
      v.string(),
      v.check(hasProtocol('mailto:', 'https:'), 'must begin with mailto: or https://'),
      v.check(isContact, 'must be mailto: followed by an email address, or an https:// URL'),
    ),
  ),
  OIDC_ISSUER: v.optional(
    v.pipe(
      v.string(),
      v.check(
        isIssuer,
        'must be an https URL: the “issuer” in the sign-in provider’s metadata (/.well-known/openid-configuration)',
      ),
    ),
  ),
  OIDC_CLIENT_ID: v.optional(v.string()),
  OIDC_CLIENT_SECRET: v.optional(v.string()),
  OIDC_COMPANY: v.optional(
    v.pipe(
      v.string(),
      v.trim(),
      v.minLength(1, 'must not be blank'),
      v.maxLength(40, 'must have at most 40 characters'),
    ),
  ),
  OIDC_CALLBACK_URL: v.optional(
    v.pipe(
      v.string(),
      v.check(isWebAddress, 'must be a URL such as https://api.example.com/api/auth/oidc/callback'),
      v.endsWith('/api/auth/oidc/callback', 'must end with /api/auth/oidc/callback'),
    ),
  ),
  OIDC_TRUST_EMAIL: v.optional(v.picklist(['on', 'off'], 'must be on or off'), 'off'),
  PASSWORD_SIGN_IN: v.optional(v.picklist(['on', 'off'], 'must be on or off'), 'on'),
  ADMIN_TOTP: v.optional(
    v.picklist(['off', 'optional', 'required'], 'must be off, optional or required'),
    'off',
  ),
  PASSKEYS: v.optional(v.picklist(['true', 'false'], 'must be true or false'), 'false'),
  HSTS_INCLUDE_SUBDOMAINS: v.optional(
    v.picklist(['true', 'false'], 'must be true or false'),
    'false',
  ),
  DEFAULT_LANGUAGE: v.optional(
    v.picklist(LANGUAGE_CODES, `must be one of ${LANGUAGE_CODES.join(', ')}`),
    'en',
  ),
  AUDIT_DAYS: days('365'),
  MESSAGE_DAYS: days('365'),
  READS_PER_SECOND: v.optional(
    v.pipe(
      v.string(),
      v.regex(/^\d{1,4}$/, 'must be a number from 0 to 9999'),
      v.transform(Number),
    ),
    '20',
  ),
  DRAIN_SECONDS: v.optional(
    v.pipe(
      v.string(),
      v.regex(/^\d+$/, 'must be a number of seconds'),
      v.transform(Number),
      v.maxValue(60, 'must be at most 60 seconds'),
    ),
    '0',
  ),
  LOG_LEVEL: v.optional(v.picklist(LEVELS, 'must be debug, info, warn or error'), 'info'),
  METRICS_TOKEN: v.optional(
    v.pipe(
      v.string(),
      v.regex(/^[\x21-\x7e]{16,}$/, 'must be at least 16 visible ASCII characters'),
    ),
  ),
  ADMIN_USERNAME: v.optional(
    v.pipe(
      v.string(),
      v.trim(),
      v.minLength(1, 'must not be blank'),
      v.maxLength(MAX_USERNAME, `must have at most ${MAX_USERNAME} characters`),
    ),
    'admin',
  ),
  ADMIN_PASSWORD: v.optional(
    v.pipe(
      v.string(),
      v.minLength(8, 'must have at least 8 characters'),
      v.maxLength(1024, 'must have at most 1024 characters'),
    ),
  ),
});

export const VARIABLES = Object.keys(settingsSchema.entries);
