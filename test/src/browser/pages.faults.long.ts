/** Pages of the console: errors, appearance, and size. */
import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { PATHS } from "@nts/web/paths";
import type { Browser, Page } from "playwright-core";
import { type Account, anAccount } from "../support/api.js";
import { aPerson } from "../support/browser.js";
import { startChromium } from "../support/chromium.js";
import { type SharedStack, sharedStack } from "../support/shared-stack.js";
import { aNetworkWithAHost, type Made } from "../support/world.js";

let stack: SharedStack;
let browser: Browser;
let full: Account;
let tag: Made;

beforeAll(async () => {
  [stack, browser] = await Promise.all([sharedStack(), startChromium()]);
  full = await anAccount(stack.url);
  await aNetworkWithAHost(full.session);
  await full.session.data("post", "/api/v1/tags", { name: "production", color: "#2f9e44" });
  tag = await full.session.data("post", "/api/v1/tags", { name: "label", color: "#abc" });
});

afterAll(() => browser.close());

describe("an error is shown", () => {
  const failing: readonly (readonly [
    string,
    { status: number; code: string; params?: object; retryAfter?: string },
    string,
  ])[] = [
    [
      "the level is too low",
      { status: 403, code: "permission_denied", params: { required: "Admin" } },
      "Permission denied",
    ],
    ["nothing is found", { status: 404, code: "not_found" }, "Not found"],
    ["the rate limit is reached", { status: 429, code: "rate_limited", retryAfter: "1" }, "Too many requests"],
    ["a dependency is unavailable", { status: 503, code: "unavailable" }, "Temporarily unavailable"],
  ];

  it.each(failing)("when %s", async (_when, { status, code, params = {}, retryAfter }, title) => {
    const { page, takeFaults, close } = await aPerson(browser, stack.url, { account: full });
    let isFailing = true;
    await page.route("**/api/v1/tags?*", async (route) => {
      if (!isFailing) return route.continue();
      const meta = { api_version: 1, server_version: "0", request_id: "r" };
      const headers: Record<string, string> = retryAfter === undefined ? {} : { "retry-after": retryAfter };
      await route.fulfill({ status, headers, json: { success: false, error: "No.", code, params, meta } });
    });
    await page.goto("/tags");
    await page.getByRole("alert").getByRole("heading", { name: title }).waitFor();
    isFailing = false;
    // too many requests: it retries automatically
    if (status === 503) await page.getByRole("button", { name: "Try again" }).click();
    if (status === 429 || status === 503) await page.getByText("production").waitFor();
    expect(takeFaults()).toEqual([]);
    await close();
  });

  it("when the server does not respond", async () => {
    const { page, close } = await aPerson(browser, stack.url, { account: full });
    await page.goto("/tags");
    await page.getByText("production").waitFor();
    await page.route("**/api/**", (route) => route.abort());
    await page.getByRole("link", { name: "Subnets" }).click();
    await page.getByRole("heading", { name: "Server unreachable" }).waitFor();
    await page.unroute("**/api/**");
    await page.getByRole("button", { name: "Try again" }).click();
    await page.getByText("10.0.0.0/24").waitFor();
    await close();
  });
});

describe("an unknown path", () => {
  it("has a page that says so, with a link to the start", async () => {
    const { page, takeFaults, close } = await aPerson(browser, stack.url, { account: full });
    expect((await page.goto("/nowhere"))?.status()).toBe(404);
    await page.getByRole("heading", { name: "Page not found" }).waitFor();
    await page.getByRole("link", { name: "Go to the start page" }).click();
    await page.waitForURL(`**${PATHS.topology}`);
    expect(takeFaults()).toEqual([]);
    await close();
  });
});

describe("a page whose code fails to load", () => {
  it("shows an error within the layout, and loads on retry", async () => {
    const { page, close } = await aPerson(browser, stack.url, { account: full });
    await page.goto(PATHS.subnets);
    await page.getByText("10.0.0.0/24").waitFor();
    await page.route("**/assets/tags-page-*.js", (route) => route.abort());
    await page.getByRole("link", { name: "Tags" }).click();
    await page.getByRole("heading", { name: "Page could not be loaded" }).waitFor();
    await page.getByRole("link", { name: "Subnets" }).click();
    await page.getByText("10.0.0.0/24").waitFor();
    await page.getByRole("link", { name: "Tags" }).click();
    await page.unroute("**/assets/tags-page-*.js");
    await page.getByRole("button", { name: "Reload" }).click();
    await page.getByText("production").waitFor();
    await close();
  });
});

describe("the colour scheme", () => {
  it("follows the system by default, and a chosen one applies from the first paint", async () => {
    const { page, close } = await aPerson(browser, stack.url, { account: full, colorScheme: "light" });
    const scheme = (): Promise<unknown> => page.evaluate("document.documentElement.dataset.mantineColorScheme");
    await page.goto(PATHS.tags);
    expect(await scheme()).toBe("light");
    await page.getByRole("button", { name: "Colours: System" }).click();
    await page.getByRole("menuitem", { name: "Dark" }).click();
    expect(await scheme()).toBe("dark");
    // as before the console has started
    await page.route("**/assets/index-*.js", (route) => route.abort());
    await page.reload({ waitUntil: "domcontentloaded" });
    expect(await scheme()).toBe("dark");
    await close();
  });
});

describe("the colour of a tag", () => {
  it("may be a name, and is rejected at its field if it is no colour", async () => {
    const { page, takeFaults, close } = await aPerson(browser, stack.url, { account: full });
    await page.goto(PATHS.tags);
    await edit(page, "label");
    const dialog = page.getByRole("dialog");
    const colour = dialog.getByRole("textbox", { name: "Colour" });
    await colour.fill("red;background:url(https://example.com/x)");
    await dialog.getByRole("button", { name: "Save" }).click();
    await dialog.getByText(/^Colour must be a colour such as/).waitFor();
    takeFaults();
    await colour.fill("rebeccapurple");
    await dialog.getByRole("button", { name: "Save" }).click();
    await page.getByRole("row").filter({ hasText: "label" }).locator('[style*="rebeccapurple"]').waitFor();
    expect(await full.session.data("get", `/api/v1/tags/${tag.id}`)).toMatchObject({ color: "rebeccapurple" });
    expect(takeFaults()).toEqual([]);
    await close();
  });
});

describe("a first visit", () => {
  it.each([PATHS.signIn, PATHS.topology, PATHS.hosts])("to %s loads less than 350 kB of the console", async (path) => {
    const options = path === PATHS.signIn ? {} : { account: full };
    const { page, settled, close } = await aPerson(browser, stack.url, options);
    await page.goto(path);
    await page.getByRole("heading", { level: 1 }).waitFor();
    await settled();
    const bytes = await page.evaluate<number>(
      `performance.getEntries()
        .filter(({ initiatorType }) => initiatorType !== undefined && initiatorType !== "fetch")
        .reduce((sum, { encodedBodySize = 0 }) => sum + encodedBodySize, 0)`,
    );
    expect(bytes).toBeGreaterThan(100_000);
    expect(bytes).toBeLessThan(350_000);
    await close();
  });
});

const edit = (page: Page, name: string): Promise<void> => choose(page, name, "Edit");

async function choose(page: Page, name: string, action: string): Promise<void> {
  await page.getByRole("button", { name: `Actions for ${name}`, exact: true }).click();
  await page.getByRole("menuitem", { name: action }).click();
}
