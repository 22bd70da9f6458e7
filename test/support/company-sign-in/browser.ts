/** A browser for signing in through the company: it follows redirects and keeps cookies. */
import type { TestServer } from '../server/server';

/** Keeps the cookies of each origin, as a browser does. */
export class CompanySignInClient {
  readonly #cookies = new Map<string, Map<string, string>>();
  readonly #server: TestServer;

  constructor(server: TestServer) {
    this.#server = server;
  }

  /** The server's cookies, empty if there are none. */
  get serverCookies(): string {
    return this.#header(SERVER_ORIGIN);
  }

  /**
   * @param bind the hash of the page’s secret, if it has one
   * @returns the address to which the server redirects
   */
  async startSignIn(next = '', bind?: string): Promise<string> {
    const query = new URLSearchParams({ ...(next && { next }), ...(bind && { bind }) });
    return this.#ask(`${SERVER_ORIGIN}/api/auth/oidc/start?${query}`);
  }

  /**
   * Fills in the company's form.
   * @param to the address that `startSignIn` returned
   * @returns the server's address to which the company sends the browser back
   */
  async submitCompanyForm(to: string, sub: string | undefined): Promise<string> {
    let address = to;
    for (let steps = 0; steps < 10; steps++) {
      if (address.startsWith(SERVER_ORIGIN)) return address;
      if (address.includes('/sign-in/')) {
        const form = new URLSearchParams(sub === undefined ? 'answer=no' : 'answer=yes');
        if (sub !== undefined) form.set('sub', sub);
        address = await this.#ask(address, form);
      } else address = await this.#ask(address);
    }
    throw new Error(`Too many redirects by the company: ${address}`);
  }

  /** @returns the path, query and fragment to which the server leads */
  async followToApp(companyReply: string): Promise<string> {
    const to = new URL(await this.#ask(companyReply));
    if (to.origin !== SERVER_ORIGIN) throw new Error(`The company redirects to ${to.origin}.`);
    return to.pathname + to.search + to.hash;
  }

  async signInThroughCompany(sub: string | undefined, next?: string): Promise<string> {
    return this.followToApp(await this.submitCompanyForm(await this.startSignIn(next), sub));
  }

  #header(origin: string): string {
    return [...(this.#cookies.get(origin) ?? [])]
      .map(([name, value]) => `${name}=${value}`)
      .join('; ');
  }

  async #ask(address: string, body?: URLSearchParams): Promise<string> {
    const { origin, pathname, search } = new URL(address);
    const init: RequestInit = {
      method: body ? 'POST' : 'GET',
      headers: { cookie: this.#header(origin) },
      redirect: 'manual',
      ...(body && { body }),
    };
    const response = await (origin === SERVER_ORIGIN
      ? this.#server.request(pathname + search, init)
      : fetch(address, init));
    const cookies = this.#cookies.get(origin) ?? new Map<string, string>();
    this.#cookies.set(origin, cookies);
    for (const line of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      if (value === '') cookies.delete(name);
      else cookies.set(name, value);
    }
    await response.arrayBuffer();
    const to = response.headers.get('location');
    if (to === null) throw new Error(`${pathname} answered ${response.status} without a redirect.`);
    return new URL(to, origin).href;
  }
}

export const SERVER_ORIGIN = 'https://bell.example';
