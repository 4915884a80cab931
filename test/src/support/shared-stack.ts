/**
 * A system that all suites of a test run may share: one gateway without limits, two identities, one topology. It is for
 * suites that only send requests, each on behalf of an organization of its own. Who stops a process or a server, needs a
 * setting, or tells apart what is in a whole database takes a stack of its own.
 */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { startStack, type Stack } from "./stack.js";
import { UNLIMITED } from "./unlimited.js";

type Place = Pick<Stack["gateways"][number], "url">;

/** What suites know of it; to stop it is not theirs. */
export interface SharedStack extends Pick<Stack, "databases" | "tenancySecrets" | "url"> {
  readonly gateways: readonly Place[];
  readonly identities: readonly Place[];
  readonly topologies: readonly Place[];
  readonly servers: { readonly urls: Stack["servers"]["urls"] };
}

/** The system of this test run; the first suite that asks waits until it is started. */
export async function sharedStack(): Promise<SharedStack> {
  const url = process.env["SHARED_STACK_URL"];
  if (url === undefined) throw new Error("SHARED_STACK_URL is not set: run these tests with `node test/run.mjs`");
  const answered = await fetch(url);
  if (!answered.ok) throw new Error(`the shared system did not start: ${await answered.text()}`);
  return (await answered.json()) as SharedStack;
}

/** Offers the system to the suites of a run under a URL. It is started when the first one asks. */
export async function offerSharedStack(): Promise<{ readonly url: string; stop(): Promise<void> }> {
  let started: Promise<Stack> | undefined;
  const server = createServer((_request, response) => {
    started ??= startStack({ identities: 2, env: { ...UNLIMITED, WEBHOOK_ALLOW: "127.0.0.0/8" } });
    started.then(
      (stack) => response.end(JSON.stringify(describe(stack))),
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
      await stack?.stop();
    },
  };
}

function describe({ databases, tenancySecrets, url, gateways, identities, topologies, servers }: Stack): SharedStack {
  const places = (handles: readonly Place[]): Place[] => handles.map((handle) => ({ url: handle.url }));
  return {
    ...{ databases, tenancySecrets, url, servers: { urls: servers.urls } },
    ...{ gateways: places(gateways), identities: places(identities), topologies: places(topologies) },
  };
}
