/** `npm run screenshots`: the pictures of the README, taken from the real system with its demo network. */
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { createDemo } from "@nts/local/demo/create";
import { ROOT } from "@nts/local/processes/system";
import { diffChanges } from "@nts/shared/contract";
import type { Browser, Page } from "playwright-core";
import { callerOf, cookieOf } from "../support/api.js";
import { startChromium } from "../support/chromium.js";
import { SCAN } from "../support/scan.js";
import { startStack } from "../support/stack.js";
import { UNLIMITED } from "../support/unlimited.js";

const FOLDER = join(ROOT, "docs", "screenshots");
// Fonts, canvases and fading elements cannot be waited for by name.
const SETTLING_MS = 1_000;
const WIDE = { width: 1280, height: 800 };
const NARROW = { width: 390, height: 844 };

interface Screenshot {
  readonly name: string;
  readonly path: string;
  readonly colorScheme: "light" | "dark";
  readonly viewport?: typeof WIDE;
  /** Actions before the picture is taken. */
  readonly act?: (page: Page) => Promise<void>;
}

// The demo and its pictures are many requests at once, which would show the meter of the limit.
const stack = await startStack({ env: UNLIMITED });
const browser = await startChromium();
try {
  await mkdir(FOLDER, { recursive: true });
  const options = { baseUrl: stack.url, dataDir: stack.dataDir, report: () => undefined, isAlone: false };
  const { email, password } = await createDemo({ ...options, signal: new AbortController().signal });
  const anonymous = callerOf(stack.url, "nobody");
  const session = cookieOf((await anonymous.send("post", "/api/auth/login", { email, password })).headers);
  const hosts = await callerOf(stack.url, "demo", { cookie: session }).data<{ id: string; services: unknown[] }[]>(
    "get",
    "/api/v1/hosts?limit=0",
  );
  const [busiest] = hosts.sort((a, b) => b.services.length - a.services.length);
  const screenshots: readonly Screenshot[] = [
    { name: "topology", path: "/topology", colorScheme: "light", act: untilDrawn },
    { name: "machines", path: "/topology?view=hosts", colorScheme: "light", act: untilDrawn },
    { name: "links", path: "/topology?view=links", colorScheme: "light", act: untilDrawn },
    { name: "services", path: "/services", colorScheme: "light" },
    { name: "past", path: "/topology", colorScheme: "light", act: lookBack },
    { name: "activity", path: "/activity", colorScheme: "light" },
    { name: "host", path: `/hosts/${busiest?.id ?? ""}`, colorScheme: "light" },
    { name: "import", path: "/import", colorScheme: "light", act: chooseScan },
    { name: "hosts-narrow", path: "/hosts", colorScheme: "dark", viewport: NARROW },
  ];
  for (const shot of screenshots) await take(browser, session, shot);
} finally {
  await browser.close();
  await stack.stop();
}

async function take(
  from: Browser,
  cookie: string,
  { name, path, colorScheme, viewport = WIDE, act }: Screenshot,
): Promise<void> {
  const context = await from.newContext({ baseURL: stack.url, colorScheme, viewport, reducedMotion: "reduce" });
  await context.addCookies([{ name: "session_id", value: cookie.replace("session_id=", ""), url: stack.url }]);
  const page = await context.newPage();
  await page.goto(path);
  await page.getByRole("heading", { level: 1 }).waitFor();
  await page.getByRole("status", { name: "Loading" }).waitFor({ state: "detached" });
  await act?.(page);
  await page.waitForTimeout(SETTLING_MS);
  const file = join(FOLDER, `${name}.png`);
  await page.screenshot({ path: file, animations: "disabled" });
  console.log(file);
  await context.close();
}

/** The canvas appears when the layout is complete. */
async function untilDrawn(page: Page): Promise<void> {
  await page.locator("canvas").first().waitFor();
}

/** Moves to a time when the demo had something that was deleted since. */
async function lookBack(page: Page): Promise<void> {
  await untilDrawn(page);
  await page.getByRole("button", { name: "Look back" }).click();
  const earlier = page.getByRole("button", { name: "Earlier change" });
  const hasDeleted = page.getByText(/Since then: .*gone/);
  while (!(await hasDeleted.isVisible())) {
    await Promise.all([page.waitForResponse((response) => response.url().includes(diffChanges.path)), earlier.click()]);
    await page.getByText("Loading …").waitFor({ state: "detached" });
  }
}

async function chooseScan(page: Page): Promise<void> {
  const file = { name: "scan.xml", mimeType: "text/xml", buffer: Buffer.from(SCAN) };
  await page.getByLabel("Select a file").setInputFiles(file);
  await page.getByRole("region", { name: "Preview" }).waitFor();
}
