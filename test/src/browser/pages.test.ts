/** Every page of the console: accessibility, keyboard, and what a Viewer sees. */
import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { PATHS } from "@nts/web/paths";
import type { Browser, Page } from "playwright-core";
import { accessibilityViolationsOf, contrastViolationsOf } from "../support/accessibility.js";
import { type Account, aColleague, anAccount } from "../support/api.js";
import { aPerson } from "../support/browser.js";
import { startChromium } from "../support/chromium.js";
import { aPkce, letIn, requestOf } from "../support/oauth.js";
import { type SharedStack, sharedStack } from "../support/shared-stack.js";
import { aNetworkWithAHost, aWebhook, type Made, type NetworkWorld } from "../support/world.js";

/** The long tier has every page in each appearance. */
const LOOKS = Number(process.env["PAGE_LOOKS"] ?? 1);
const WIDE = { width: 1280, height: 800 };
const NARROW = { width: 390, height: 844 };
/** Must become no style. */
const FOR_GUESTS: readonly string[] = [PATHS.signIn, PATHS.signUp, PATHS.forgotPassword, PATHS.resetPassword];

let stack: SharedStack;
let browser: Browser;
let full: Account;
let empty: Account;
let world: NetworkWorld;
let webhook: Made;
let collector: Made;
/** Where a share is seen, with its secret. */
let shared: string;
/** The request of an assistant. */
let asking: string;

beforeAll(async () => {
  [stack, browser] = await Promise.all([sharedStack(), startChromium()]);
  [full, empty] = await Promise.all([anAccount(stack.url), anAccount(stack.url)]);
  world = await aNetworkWithAHost(full.session);
  webhook = await aWebhook(full.session, world);
  await full.session.data("post", "/api/v1/tags", { name: "production", color: "#2f9e44" });
  await full.session.data("post", "/api/v1/tags", { name: "label", color: "#abc" });
  await full.session.data("post", "/api/v1/invites", { permissions: "Viewer", network_ids: [world.network.id] });
  const key = { name: "backup", user_id: full.userId, organization_id: full.organizationId, tags: [] };
  await full.session.data("post", "/api/v1/auth/keys", key);
  const ofNetwork = { network_id: world.network.id };
  collector = await full.session.data("post", "/api/v1/collectors", { ...ofNetwork, name: "attic" });
  const view = await full.session.data<Made>("post", "/api/v1/views", { ...ofNetwork, name: "All" });
  const ofShare = { expires_at: null, allow_embedding: [], hide: [] };
  const { link } = await full.session.data<{ link: string }>("post", `/api/v1/views/${view.id}/shares`, ofShare);
  shared = link.slice(new URL(link).origin.length);
  const { clientId } = await letIn(stack.url, full);
  asking = new URLSearchParams(requestOf(clientId, aPkce())).toString();
});

afterAll(() => browser.close());

const pathOf = (path: string): string => {
  if (path === PATHS.authorize) return `${path}?${asking}`;
  if (path === PATHS.share) return shared;
  const ids: Readonly<Record<string, string>> = {
    [PATHS.network]: world.network.id,
    [PATHS.subnet]: world.subnet.id,
    [PATHS.webhook]: webhook.id,
    [PATHS.service]: world.service.id,
    [PATHS.dependency]: world.dependency.id,
    [PATHS.collector]: collector.id,
  };
  return path.replace(":id", ids[path] ?? world.host.id);
};

describe("every page is accessible in both themes, fits, violates no policy, and sends no request elsewhere", () => {
  const looks = [
    ["full", "light", WIDE],
    ["full", "dark", NARROW],
    ["empty", "light", NARROW],
  ] as const;
  it.each(looks.slice(0, LOOKS))("%s, in %s, at %j", async (fill, colorScheme, viewport) => {
    const violations: string[] = [];
    const checkPages = async (paths: readonly string[], who: Parameters<typeof aPerson>[2]): Promise<void> => {
      const { page, takeFaults, goTo, settled, close } = await aPerson(browser, stack.url, who);
      for (const [index, path] of paths.entries()) {
        await (index === 0 ? page.goto(pathOf(path)) : goTo(pathOf(path)));
        await settled();
        const overflow = await page.evaluate(
          "document.documentElement.scrollWidth - document.documentElement.clientWidth",
        );
        expect([path, overflow, takeFaults()]).toEqual([path, 0, []]);
        violations.push(...(await accessibilityViolationsOf(page)).map((violation) => `${path}: ${violation}`));
        await page.emulateMedia({ colorScheme: colorScheme === "light" ? "dark" : "light" });
        violations.push(...(await contrastViolationsOf(page)).map((violation) => `${path}, otherwise: ${violation}`));
        await page.emulateMedia({ colorScheme });
        takeFaults();
      }
      await close();
    };
    const others = Object.values(PATHS).filter((path) => !FOR_GUESTS.includes(path));
    // What guests see does not depend on what an account has.
    await Promise.all([
      fill === "full" ? checkPages(FOR_GUESTS, { colorScheme, viewport }) : null,
      checkPages(others, { colorScheme, viewport, account: fill === "full" ? full : empty }),
    ]);
    expect(violations).toEqual([]);
  });
});

const appearances = [
  ["dark", NARROW],
  ["light", WIDE],
] as const;

describe.each(appearances.slice(0, LOOKS))("a dialog in %s", (colorScheme, viewport) => {
  const windows: readonly (readonly [string, (page: Page) => Promise<void>])[] = [
    [PATHS.hosts, (page) => page.getByRole("button", { name: "New host" }).click()],
    [PATHS.host, (page) => page.getByRole("button", { name: "Edit", exact: true }).click()],
    [PATHS.host, (page) => choose(page, "web at 443/tcp", "Edit service")],
    [PATHS.host, (page) => choose(page, "web at 443/tcp", "Edit port")],
    [PATHS.host, (page) => page.getByRole("button", { name: "Add interface" }).click()],
    [PATHS.subnet, editReserved],
    [PATHS.keys, (page) => page.getByRole("button", { name: "New API key" }).click()],
    [PATHS.webhooks, (page) => edit(page, "127.0.0.1:9")],
    [PATHS.webhooks, (page) => choose(page, "127.0.0.1:9", "Replay")],
    [PATHS.tags, (page) => edit(page, "production")],
    [PATHS.users, (page) => page.getByRole("button", { name: "Invite user" }).click()],
    [PATHS.hosts, (page) => choose(page, "nas", "Delete")],
  ];

  it("has no accessibility violations, and violates no policy", async () => {
    const who = { account: full, colorScheme, viewport };
    const { page, takeFaults, goTo, settled, close } = await aPerson(browser, stack.url, who);
    const violations: string[] = [];
    await page.goto(PATHS.settings);
    for (const [path, open] of windows) {
      if (new URL(page.url()).pathname !== pathOf(path)) await goTo(pathOf(path));
      await settled();
      await open(page);
      const button = page.getByRole("dialog").getByRole("button", { name: "Cancel" });
      await button.waitFor();
      await settled();
      violations.push(...(await accessibilityViolationsOf(page)).map((violation) => `${path}: ${violation}`));
      await button.click();
      await button.waitFor({ state: "detached" });
    }
    expect([violations, takeFaults()]).toEqual([[], []]);
    await close();
  });
});

async function choose(page: Page, name: string, action: string): Promise<void> {
  await page.getByRole("button", { name: `Actions for ${name}`, exact: true }).click();
  await page.getByRole("menuitem", { name: action }).click();
}

async function editReserved(page: Page): Promise<void> {
  await page.getByRole("button", { name: "Edit", exact: true }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Range", exact: true }).click();
}

const edit = (page: Page, name: string): Promise<void> => choose(page, name, "Edit");

describe("the keyboard", () => {
  it("skips the navigation to the content, and opens and closes what a click does", async () => {
    const { page, takeFaults, close } = await aPerson(browser, stack.url, { account: full });
    await page.goto("/hosts");
    await page.getByRole("link", { name: "nas" }).waitFor();
    await page.keyboard.press("Tab");
    await page.keyboard.press("Enter");
    expect(await page.evaluate("document.activeElement.id")).toBe("main");
    await page.getByRole("button", { name: "New host" }).focus();
    await page.keyboard.press("Enter");
    await page.getByRole("dialog").waitFor();
    expect(await page.evaluate("document.activeElement.closest('[role=dialog]') !== null")).toBe(true);
    await page.keyboard.press("Escape");
    await page.getByRole("dialog").waitFor({ state: "detached" });
    expect(await page.evaluate("document.activeElement.textContent")).toBe("New host");
    expect(takeFaults()).toEqual([]);
    await close();
  });
});

describe("a Viewer", () => {
  it("is offered nothing that the API would reject", async () => {
    const account = await aColleague(stack.url, full, { permissions: "Viewer", network_ids: [world.network.id] });
    const { page, goTo, settled, close } = await aPerson(browser, stack.url, { account });
    await page.goto(PATHS.topology);
    for (const path of [PATHS.hosts, PATHS.networks, PATHS.subnets, PATHS.tags, PATHS.services, pathOf(PATHS.host)]) {
      await goTo(path);
      await settled();
      await page.getByRole("table").first().waitFor();
      expect([path, await page.getByRole("button", { name: /^(?:New|Add|Actions|Edit|Delete)\b/ }).count()]).toEqual([
        path,
        0,
      ]);
      expect([path, await page.getByRole("checkbox").count()]).toEqual([path, 0]);
    }
    await goTo(PATHS.users);
    await page.getByRole("alert").getByRole("heading", { name: "Permission denied" }).waitFor();
    expect(await page.getByRole("button", { name: "Invite user" }).count()).toBe(0);
    await close();
  });
});
