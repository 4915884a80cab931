/**
 * A user of the console. Script errors, violations of the content security policy and requests to other servers are
 * collected, and checked at the end of a test.
 */
import { streamChanges } from "@nts/shared/contract";
import type { Browser, BrowserContext, BrowserContextOptions, ConsoleMessage, Page, Request } from "playwright-core";
import type { Account } from "./api.js";
import { until } from "./until.js";

/** A busy machine is slow, not wrong. */
const TIMEOUT_MS = 90_000;

export interface Person {
  readonly page: Page;
  readonly context: BrowserContext;
  /** The faults since the last call. */
  readonly takeFaults: () => string[];
  /** Navigates like a link of the console, without reloading the document. */
  readonly goTo: (path: string) => Promise<void>;
  /**
   * Waits until the page has its heading, no request but the stream of changes is in progress, and everything is
   * rendered.
   */
  readonly settled: () => Promise<void>;
  readonly close: () => Promise<void>;
}

/** Chromium's message for an unsuccessful response, which a page may expect. */
const STATUS_NOTE = "Failed to load resource: the server responded with a status of";

/** Chromium's message for a cut stream of changes, which is resumed. */
const CUT_NOTE = "Failed to load resource: net::ERR_INCOMPLETE_CHUNKED_ENCODING";

function isExpected(note: ConsoleMessage): boolean {
  const isOfStream = note.location().url.includes("/changes/stream");
  return note.text().startsWith(STATUS_NOTE) || (isOfStream && note.text().startsWith(CUT_NOTE));
}

// The previous page is removed together with its heading.
const NAVIGATE = `new Promise((resolve) => {
  const heading = location.pathname === PATH ? null : document.querySelector("h1");
  history.pushState({}, "", PATH);
  dispatchEvent(new PopStateEvent("popstate"));
  const look = () => requestAnimationFrame(heading?.isConnected ? look : () => resolve());
  look();
})`;

// Checks in each frame, where playwright would poll twice a second; the second frame shows the final state.
const RENDERED = `new Promise((resolve) => {
  const isThere = () =>
    document.querySelector("h1, h2") !== null && document.querySelector("[role=status][aria-label=Loading]") === null;
  const look = () => requestAnimationFrame(isThere() ? () => resolve() : look);
  look();
})`;

/** Opens a new window; signed in when an account is given. @param options `elsewhere` is another allowed server */
export async function aPerson(
  browser: Browser,
  baseURL: string,
  options: BrowserContextOptions & { readonly account?: Account; readonly elsewhere?: string } = {},
): Promise<Person> {
  const { account, elsewhere, ...more } = options;
  const context = await browser.newContext({ baseURL, reducedMotion: "reduce", ...more });
  context.setDefaultTimeout(TIMEOUT_MS);
  if (account !== undefined) await context.addCookies([sessionOf(account, baseURL)]);
  const page = await context.newPage();
  let faults: string[] = [];
  const pending = new Set<Request>();
  page.on("console", (message) => {
    if (message.type() === "error" && !isExpected(message)) faults.push(message.text());
  });
  page.on("pageerror", (error) => faults.push(String(error)));
  for (const end of ["requestfinished", "requestfailed"] as const)
    page.on(end as "requestfinished", (request) => pending.delete(request));
  page.on("request", (request) => {
    if (!isFollowing(request)) pending.add(request);
    const isExpectedThere = elsewhere !== undefined && request.url().startsWith(elsewhere);
    if (!request.url().startsWith(baseURL) && !isExpectedThere && !/^(?:data|blob):/.test(request.url()))
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
    goTo: (path) => page.evaluate(NAVIGATE.replaceAll("PATH", JSON.stringify(path))),
    settled: async () => {
      do {
        await until(() => pending.size === 0);
        await page.evaluate(RENDERED);
      } while (pending.size > 0);
    },
    close: () => context.close(),
  };
}

/** The request by which a page follows changes lasts as long as the page. */
export function isFollowing(request: Request): boolean {
  return new URL(request.url()).pathname === streamChanges.path;
}

function sessionOf({ cookie }: Account, url: string): { name: string; value: string; url: string } {
  const [name = "", value = ""] = cookie.split("=");
  return { name, value, url };
}
