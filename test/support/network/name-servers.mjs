/**
 * Makes a process use the name servers in NAME_SERVERS: `node --import …/name-servers.mjs main.js`.
 */
import dns from 'node:dns';
import { syncBuiltinESMExports } from 'node:module';

const servers = process.env.NAME_SERVERS?.split(',') ?? [];
if (servers.length) {
  const Original = dns.Resolver;
  dns.Resolver = class extends Original {
    constructor(options) {
      super(options);
      this.setServers(servers);
    }
  };
  syncBuiltinESMExports();
}
