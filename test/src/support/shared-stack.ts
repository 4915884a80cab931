/**
 * A system shared by all suites of a run: one gateway without limits, two identities, one topology. For suites that
 * only send requests of an organization of their own; others start a stack.
 */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { freePorts } from "@nts/local/processes/ports";
import { createProcess, urlOf } from "@nts/local/processes/system";
import { createSecrets } from "@nts/local/secrets";
import { startHandle } from "./handle.js";
import { type Mailbox, type MailFor, mailsFrom, type ReceivedMail, startMailbox } from "./mailbox.js";
import { providerEnv, type RealProvider, startRealProvider } from "./real-provider.js";
import { type ProcessHandle, startStack, type Stack } from "./stack.js";
import { UNLIMITED } from "./unlimited.js";

type Place = Pick<Stack["gateways"][number], "url">;

/** The public part of it; suites must not stop it. */
export interface SharedStack extends Pick<Stack, "databases" | "tenancySecrets" | "url"> {
  readonly gateways: readonly Place[];
  readonly identities: readonly Place[];
  readonly topologies: readonly Place[];
  readonly servers: { readonly urls: Stack["servers"]["urls"] };
  /** Returns the mails for the address after it, the oldest first. */
  readonly mailsUrl: string;
  /** For users who have linked an account there, or are invited. */
  readonly provider: { readonly issuer: string; readonly name: string };
}

/** The system of this test run; the first caller waits until it is started. */
export async function sharedStack(): Promise<SharedStack> {
  const url = process.env["SHARED_STACK_URL"];
  if (url === undefined) throw new Error("SHARED_STACK_URL is not set: run these tests with `node test/run.mjs`");
  const response = await fetch(url);
  if (!response.ok) throw new Error(`the shared system did not start: ${await response.text()}`);
  return { ...((await response.json()) as Omit<SharedStack, "mailsUrl">), mailsUrl: `${url}${MAILS}` };
}

/**
 * Starts another gateway of the shared system, which is the caller's own, so that what holds on every gateway can be seen
 * on two. Every change of permissions waits for it as well: the caller must not let it hang.
 */
export async function startAnotherGateway(shared: SharedStack): Promise<ProcessHandle> {
  const dataDir = await mkdtemp(join(process.env["NTS_TEST_DIR"] ?? tmpdir(), "gateway-"));
  const [port = 0, opsPort = 0] = await freePorts(2);
  const urls = (places: readonly Place[]): string[] => places.map(({ url }) => url);
  const gateway = createProcess(
    "gateway",
    "another-gateway",
    { port, opsPort },
    {
      dataDir,
      secrets: { ...createSecrets(), tenancySecrets: shared.tenancySecrets },
      servers: shared.servers.urls,
      publicUrl: shared.url,
      databases: shared.databases,
      environment: { PATH: process.env["PATH"], ...UNLIMITED },
      identityUrls: urls(shared.identities),
      topologyUrls: urls(shared.topologies),
    },
  );
  const handle = await startHandle(gateway, dataDir);
  return { ...handle, url: urlOf({ port, opsPort }), opsUrl: `http://127.0.0.1:${opsPort}` };
}

/** Waits for mails of the system. */
export function mailsOf({ mailsUrl }: Pick<SharedStack, "mailsUrl">): MailFor {
  return mailsFrom(async (address) => {
    const response = await fetch(mailsUrl + encodeURIComponent(address));
    return (await response.json()) as ReceivedMail[];
  });
}

/** Serves the description of the system to the suites of a run. It is started on first use. */
export async function offerSharedStack(): Promise<{ readonly url: string; stop(): Promise<void> }> {
  let started: Promise<StackWithProvider> | undefined;
  const server = createServer(({ url = "" }, response) => {
    started ??= startWithProvider();
    const of = url.startsWith(MAILS) ? decodeURIComponent(url.slice(MAILS.length)) : null;
    started.then(
      (stack) => response.end(JSON.stringify(of === null ? describe(stack) : stack.mailbox.of(of))),
      (error: unknown) => response.writeHead(500).end(String(error)),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async stop() {
      server.close();
      server.closeAllConnections();
      const stack = await started?.catch(() => undefined);
      await Promise.all([stack?.stop(), stack?.provider.stop()]);
      await stack?.mailbox.stop();
    },
  };
}

type StackWithProvider = Stack & { readonly provider: RealProvider; readonly mailbox: Mailbox };

const MAILS = "/mails/";

const PROVIDER_NAME = "Test provider";

async function startWithProvider(): Promise<StackWithProvider> {
  const provider = await startRealProvider(true);
  const mailbox = await startMailbox();
  const env = {
    ...UNLIMITED,
    ...mailbox.env,
    WEBHOOK_ALLOW: "127.0.0.0/8",
    ...providerEnv(provider, { id: "test", name: PROVIDER_NAME, provision: "invited" }),
  };
  return { ...(await startStack({ identities: 2, env })), provider, mailbox };
}

function describe(stack: StackWithProvider): Omit<SharedStack, "mailsUrl"> {
  const { databases, tenancySecrets, url, gateways, identities, topologies, servers, provider } = stack;
  const places = (handles: readonly Place[]): Place[] => handles.map((handle) => ({ url: handle.url }));
  return {
    ...{ databases, tenancySecrets, url, servers: { urls: servers.urls } },
    provider: { issuer: provider.issuer, name: PROVIDER_NAME },
    ...{ gateways: places(gateways), identities: places(identities), topologies: places(topologies) },
  };
}
