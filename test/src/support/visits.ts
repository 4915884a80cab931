import { afterAll, afterEach, beforeAll, expect } from "@jest/globals";
import type { Browser, Locator, Page } from "playwright-core";
import { aPerson, type Person } from "./browser.js";
import { startChromium } from "./chromium.js";
import type { MailFor } from "./mailbox.js";
import { mailsOf, type SharedStack, sharedStack } from "./shared-stack.js";

export interface Visits {
  /** The URL of the system, available only while tests run. */
  readonly url: () => string;
  /** The provider for signing in. */
  readonly provider: () => SharedStack["provider"];
  readonly mailFor: MailFor;
  /** Opens a window, which is closed after the test. */
  readonly openWindow: (options?: Parameters<typeof aPerson>[2]) => Promise<Page>;
}

/** Sets a suite up with the shared system and a browser. After each test no window may have faults. */
export function createVisits(): Visits {
  let stack: SharedStack;
  let browser: Browser;
  let people: Person[] = [];

  beforeAll(async () => {
    [stack, browser] = await Promise.all([sharedStack(), startChromium()]);
  });

  afterEach(async () => {
    const open = people;
    people = [];
    const faults = open.flatMap(({ takeFaults }) => takeFaults());
    await Promise.all(open.map(({ close }) => close()));
    expect(faults).toEqual([]);
  });

  afterAll(async () => {
    await browser.close();
  });

  return {
    url: () => stack.url,
    provider: () => stack.provider,
    mailFor: (address, which) => mailsOf(stack)(address, which),
    openWindow: async (options = {}) => {
      const person = await aPerson(browser, stack.url, options);
      people.push(person);
      return person.page;
    },
  };
}

export const button = (page: Page | Locator, name: string): Locator => page.getByRole("button", { name, exact: true });

export const field = (page: Page | Locator, name: string): Locator => page.getByRole("textbox", { name, exact: true });

export const heading = (page: Page | Locator, name: string): Locator =>
  page.getByRole("heading", { name, exact: true });
