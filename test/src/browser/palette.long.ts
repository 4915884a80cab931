/** The command palette, by keyboard and on a telephone. */
import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { hostPath, PATHS } from "@nts/web/paths";
import type { Browser, Page } from "playwright-core";
import { accessibilityViolationsOf } from "../support/accessibility.js";
import { type Account, aColleague, anAccount } from "../support/api.js";
import { aPerson } from "../support/browser.js";
import { startChromium } from "../support/chromium.js";
import { type SharedStack, sharedStack } from "../support/shared-stack.js";
import { aNetworkWithAHost, type NetworkWorld } from "../support/world.js";

const NARROW = { width: 390, height: 844 };

let stack: SharedStack;
let browser: Browser;
let full: Account;
let world: NetworkWorld;

beforeAll(async () => {
  [stack, browser] = await Promise.all([sharedStack(), startChromium()]);
  full = await anAccount(stack.url);
  world = await aNetworkWithAHost(full.session);
});

afterAll(() => browser.close());

describe("the command palette", () => {
  const open = async (page: Page): Promise<void> => {
    await page.keyboard.press("Control+k");
    await page.locator("input[role=combobox]:focus").waitFor();
  };
  const options = (page: Page): Promise<string[]> => page.getByRole("option").allInnerTexts();

  it("keeps what is typed before it has loaded", async () => {
    const { page, close } = await aPerson(browser, stack.url, { account: full });
    await page.goto(PATHS.tags);
    await page.getByRole("heading", { level: 1 }).waitFor();
    await page.keyboard.press("Control+k");
    await page.keyboard.type("new tag");
    await page.locator("input[role=combobox]:focus").waitFor();
    await page.keyboard.press("Enter");
    await page.getByRole("dialog", { name: "New tag" }).waitFor();
    await close();
  });

  it("navigates by keyboard to what matches by name or by address and port, and restores the focus", async () => {
    const { page, takeFaults, close } = await aPerson(browser, stack.url, { account: full });
    await page.goto(PATHS.tags);
    await page.getByRole("heading", { level: 1 }).waitFor();
    await open(page);
    await page.keyboard.press("Escape");
    await page.getByRole("dialog").waitFor({ state: "detached" });
    await page.getByRole("button", { name: "Search and commands" }).focus();
    await page.keyboard.press("Enter");
    await page.locator("input[role=combobox]:focus").waitFor();
    await page.keyboard.type("10.0.0.5:443");
    await page.getByRole("option", { name: "web on nas · 10.0.0.5:443" }).waitFor();
    expect(await accessibilityViolationsOf(page)).toEqual([]);
    await page.keyboard.press("Escape");
    await page.getByRole("dialog").waitFor({ state: "detached" });
    expect(await page.evaluate("document.activeElement.textContent")).toMatch(/^Search and commands/);

    await open(page);
    await page.keyboard.type("nas");
    await page.getByRole("option", { name: "nas 10.0.0.5" }).waitFor();
    await page.keyboard.press("Enter");
    await page.waitForURL(`**${hostPath(world.host.id)}`);
    await page.getByRole("heading", { level: 1, name: "nas" }).waitFor();
    await open(page);
    await page.keyboard.type("new service");
    await page.getByRole("option").nth(1).waitFor({ state: "detached" });
    await page.keyboard.press("Enter");
    await page.getByRole("dialog", { name: "New service" }).waitFor();
    expect(takeFaults()).toEqual([]);
    await close();
  });

  it("is available on a telephone, and offers a Viewer nothing that the API would reject", async () => {
    const account = await aColleague(stack.url, full, { permissions: "Viewer", network_ids: [world.network.id] });
    const { page, takeFaults, close } = await aPerson(browser, stack.url, { account, viewport: NARROW });
    await page.goto(PATHS.hosts);
    await page.getByRole("button", { name: "Search and commands" }).click();
    await page.getByRole("option", { name: "Sign out" }).waitFor();
    expect((await options(page)).filter((name) => /^(?:New|Invite|Import|Users|Audit)/.test(name))).toEqual([]);
    expect(await accessibilityViolationsOf(page)).toEqual([]);
    expect(takeFaults()).toEqual([]);
    await close();
  });
});
