/**
 * `npm run bench -- picture`: time to the picture of 5,000 nodes, frames per second during interaction, and the share of
 * the console's code; without a graphics card the rest is software rendering. `--shots <folder>` keeps pictures.
 */
import { join } from "node:path";
import type { Page } from "playwright-core";
import { type Account, anAccount } from "../support/api.js";
import { aPerson } from "../support/browser.js";
import { startChromium } from "../support/chromium.js";
import { startStack } from "../support/stack.js";
import { UNLIMITED } from "../support/unlimited.js";
import type { Made } from "../support/world.js";
import { row } from "./work.js";

const SUBNETS = 25;
const HOSTS_PER_SUBNET = 39;
const SERVICES_PER_HOST = 4;
const WRITERS = 8;
const VIEW = { width: 1280, height: 800 };
const KINDS = ["nginx", "PostgreSQL", "SSH", "Grafana"];

/** The page records when each of its frames begins. */
const COUNT = `{
  const frames = (globalThis.frames_ = []);
  const tick = (at) => {
    if (globalThis.frames_ !== frames) return;
    frames.push(at);
    requestAnimationFrame(tick);
  };
  requestAnimationFrame(tick);
}`;
const COUNTED = `(() => {
  const frames = globalThis.frames_;
  globalThis.frames_ = [];
  return frames;
})()`;
const DRAWN = `new Promise((resolve) => {
  const look = () =>
    requestAnimationFrame(document.querySelector("canvas.sigma-nodes") === null ? look : () => resolve(performance.now()));
  look();
})`;
const RENDERER = `(() => {
  const gl = document.createElement("canvas").getContext("webgl2");
  return gl.getParameter(gl.getExtension("WEBGL_debug_renderer_info").UNMASKED_RENDERER_WEBGL);
})()`;

/** Interactions; `x` and `y` are the middle of the picture. */
const ACTS: Readonly<Record<string, (page: Page, x: number, y: number) => Promise<void>>> = {
  moved: drag,
  "pointed at": async (page, x, y) => {
    for (let n = 0; n < 120; n++) await page.mouse.move(x - 250 + n * 4, y - 60 + n);
  },
  "zoomed in": (page, x, y) => turn(page, [x, y], -120),
  "moved from near": drag,
  "zoomed out": (page, x, y) => turn(page, [x, y], 120),
  searched: async (page) => {
    const search = page.getByRole("searchbox", { name: "Search" });
    await search.pressSequentially("host-12-3", { delay: 80 });
    for (let n = 0; n < 9; n++) await search.press("Backspace", { delay: 80 });
  },
};

const folder = process.argv.includes("--shots") ? process.argv[process.argv.indexOf("--shots") + 1] : undefined;
const stack = await startStack({ env: { ...UNLIMITED, LOG_LEVEL: "warn" } });
const browser = await startChromium();
try {
  const account = await anAccount(stack.url);
  await fill(account);
  const who = { account, viewport: VIEW, reducedMotion: "no-preference" } as const;
  const { page, takeFaults } = await aPerson(browser, stack.url, who);
  const scriptMs = await createScriptClock(page);
  await page.goto("/topology", { waitUntil: "commit" });
  const drawnMs = await page.evaluate<number>(DRAWN);
  console.log(
    `\n${await page.getByText(/subnets, .* services/).innerText()}, drawn by ${await page.evaluate<string>(RENDERER)}`,
  );
  console.log(
    `there ${Math.round(drawnMs)} ms after the address was entered, ${Math.round(await scriptMs())} ms of it script\n`,
  );
  await keep(page, "whole");
  const { x = 0, y = 0, width = 0, height = 0 } = (await page.locator("canvas.sigma-mouse").boundingBox()) ?? {};
  row("while it is", "frames a second", "95 % of frames within ms", "script ms a frame", "script ms in all");
  row("---", "---", "---", "---", "---");
  for (const [name, act] of Object.entries(ACTS)) {
    await page.evaluate(COUNT);
    const before = await scriptMs();
    await act(page, x + width / 2, y + height / 2);
    const spent = (await scriptMs()) - before;
    const frames = await page.evaluate<number[]>(COUNTED);
    row(name, ...figuresOf(frames), (spent / frames.length).toFixed(1), Math.round(spent));
    await keep(page, name);
  }
  for (const fault of takeFaults()) console.log(`! ${fault}`);
} finally {
  await browser.close();
  await stack.stop();
}

/** A network of subnets with hosts that each have an interface and services on ports of their own. */
async function fill({ session }: Account): Promise<void> {
  const network = await session.data<Made>("post", "/api/v1/networks", { name: "Campus" });
  const bodies: object[] = [];
  for (let s = 0; s < SUBNETS; s++) {
    const subnetBody = { network_id: network.id, cidr: `10.0.${s}.0/24`, name: `Building ${s + 1}` };
    const subnet = await session.data<Made>("post", "/api/v1/subnets", subnetBody);
    for (let h = 0; h < HOSTS_PER_SUBNET; h++) bodies.push(hostIn(subnet, network, [s, h]));
  }
  const write = async (): Promise<void> => {
    for (let body = bodies.pop(); body !== undefined; body = bodies.pop())
      await session.data("post", "/api/v1/hosts", body);
  };
  await Promise.all(Array.from({ length: WRITERS }, write));
}

function hostIn(subnet: Made, network: Made, [s, h]: readonly [number, number]): object {
  const local = (n: number): string => `00000000-0000-4000-8000-${String(n).padStart(12, "0")}`;
  const numbers = Array.from({ length: SERVICES_PER_HOST }, (_, n) => n + 1);
  return {
    network_id: network.id,
    name: `host ${s}-${h}`,
    hostname: `host-${s}-${h}.example.com`,
    interfaces: [{ id: local(0), ip_address: `10.0.${s}.${h + 1}`, subnet_id: subnet.id }],
    ports: numbers.map((n) => ({ id: local(n), number: n, protocol: "Tcp" })),
    services: numbers.map((n) => {
      const kind = KINDS[(s + h + n) % KINDS.length];
      return {
        name: `${kind} ${s}-${h}`,
        service_definition: kind,
        bindings: [{ type: "Port", port_id: local(n), interface_id: local(0) }],
      };
    }),
  };
}

async function drag(page: Page, x: number, y: number): Promise<void> {
  await page.mouse.move(x, y);
  await page.mouse.down();
  for (let n = 0; n < 90; n++) await page.mouse.move(x + 150 * Math.sin(n / 9), y + 90 * Math.cos(n / 7));
  await page.mouse.up();
}

async function turn(page: Page, [x, y]: readonly [number, number], by: number): Promise<void> {
  await page.mouse.move(x, y);
  for (let n = 0; n < 12; n++) {
    await page.mouse.wheel(0, by);
    await page.waitForTimeout(100);
  }
}

function figuresOf(frames: readonly number[]): number[] {
  const gaps = frames.slice(1).map((at, index) => at - (frames[index] ?? at));
  const ordered = gaps.toSorted((a, b) => a - b);
  const seconds = gaps.reduce((sum, gap) => sum + gap, 0) / 1_000;
  return [gaps.length / seconds, ordered[Math.floor(0.95 * ordered.length)] ?? 0].map(Math.round);
}

/** Returns the milliseconds of script time of a page so far. */
async function createScriptClock(page: Page): Promise<() => Promise<number>> {
  const devtools = await page.context().newCDPSession(page);
  await devtools.send("Performance.enable");
  return async () => {
    const { metrics } = await devtools.send("Performance.getMetrics");
    return 1_000 * (metrics.find(({ name }) => name === "ScriptDuration")?.value ?? 0);
  };
}

async function keep(page: Page, name: string): Promise<void> {
  if (folder !== undefined) await page.screenshot({ path: join(folder, `${name.replaceAll(" ", "-")}.png`) });
}
