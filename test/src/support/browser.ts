/**
 * Somebody in front of the console. Whatever goes wrong in a page is kept: errors of its scripts, violations of its content
 * security policy, requests to elsewhere. A test ends by asking for all of it.
 */
import type { Browser, BrowserContext, BrowserContextOptions, Page } from "playwright-core";
import type { Account } from "./api.js";

export interface Person {
  readonly page: Page;
  readonly context: BrowserContext;
  /** What went wrong since the beginning, or since the last question. */
  readonly takeFaults: () => string[];
  readonly close: () => Promise<void>;
}

/** Chromium's own note of an answer that is no success; a page may well be made for it. */
const STATUS_NOTE = "Failed to load resource: the server responded with a status of";

/** Opens a window of its own; signed in when an account is given. */
export async function aPerson(
  browser: Browser,
  baseURL: string,
  options: BrowserContextOptions & { readonly account?: Account } = {},
): Promise<Person> {
  const { account, ...more } = options;
  const context = await browser.newContext({ baseURL, reducedMotion: "reduce", ...more });
  if (account !== undefined) await context.addCookies([sessionOf(account, baseURL)]);
  const page = await context.newPage();
  let faults: string[] = [];
  page.on("console", (message) => {
    if (message.type() === "error" && !message.text().startsWith(STATUS_NOTE)) faults.push(message.text());
  });
  page.on("pageerror", (error) => faults.push(String(error)));
  page.on("request", (request) => {
    if (!request.url().startsWith(baseURL) && !/^(?:data|blob):/.test(request.url()))
      faults.push(`a request to ${request.url()}`);
  });
  return {
    page,
    context,
    takeFaults: () => {
      const taken = faults;
      faults = [];
      return taken;
    },
    close: () => context.close(),
  };
}

function sessionOf({ cookie }: Account, url: string): { name: string; value: string; url: string } {
  const [name = "", value = ""] = cookie.split("=");
  return { name, value, url };
}
