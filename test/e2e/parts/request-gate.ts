import type { HTTPRequest, Page } from 'puppeteer-core';
import { eventually } from '../../support/eventually';

/** Holds every request of a page until the story lets it through, to see what waits for what. */
export class RequestGate {
  #waiting: HTTPRequest[] = [];
  #open: (path: string) => boolean = () => false;

  static async attachTo(page: Page): Promise<RequestGate> {
    const gate = new RequestGate();
    await page.setRequestInterception(true);
    page.on('request', (request) => gate.#meet(request));
    return gate;
  }

  /** Lets requests of such paths through, now and later, and no others. */
  letThrough(which: (path: string) => boolean): void {
    this.#open = which;
    for (const request of this.#waiting.splice(0)) this.#meet(request);
  }

  /** Resolves with the waiting paths once `count` of them match. */
  async waitForHeldRequests(
    count: number,
    which: (path: string) => boolean,
    what: string,
  ): Promise<string[]> {
    const paths = () => this.#waiting.map(pathOf).filter(which);
    await eventually(
      () => paths().length >= count,
      `${what}; waiting: ${this.#waiting.map(pathOf).join(', ')}`,
    );
    return paths().sort();
  }

  #meet(request: HTTPRequest): void {
    if (this.#open(pathOf(request))) void request.continue();
    else this.#waiting.push(request);
  }
}

const pathOf = (request: HTTPRequest): string => new URL(request.url()).pathname;
