import { createServer, type Server } from "node:http";
import { freePorts } from "@nts/local/processes/ports";
import type { Attack } from "../support/attacks/attack.js";
import { callerOf } from "../support/api.js";
import { expectThat, tally } from "../support/attacks/parts.js";
import { mapConcurrently } from "../support/map-concurrently.js";

const BEGUN = 2_000;
const CALLBACKS = 200;
const LOGOUTS = 200;
const AT_A_TIME = 40;

const [port = 0] = await freePorts(1);
const issuer = `http://127.0.0.1:${port}`;
const PATH = "/api/auth/oidc/slow";
const forwardedFor = (n: number) => ({ "x-forwarded-for": `198.51.${100 + (n % 100)}.${(n % 250) + 1}` });

/** A provider that serves its metadata, and responds to nothing else. */
async function startSlowProvider(): Promise<Server> {
  const server = createServer((request, response) => {
    if (request.url !== "/.well-known/openid-configuration") return;
    response.writeHead(200, { "content-type": "application/json" });
    response.end(
      JSON.stringify({
        issuer,
        authorization_endpoint: `${issuer}/authorize`,
        token_endpoint: `${issuer}/token`,
        jwks_uri: `${issuer}/keys`,
        response_types_supported: ["code"],
        subject_types_supported: ["public"],
        id_token_signing_alg_values_supported: ["RS256"],
      }),
    );
  });
  await new Promise<void>((resolve) => server.listen(port, "127.0.0.1", resolve));
  return server;
}

/** Anybody can begin a sign-in, return with a made-up code, and send an unsigned token. */
export const attack: Attack<Server> = {
  name: `${BEGUN} abandoned sign-ins at a provider, ${CALLBACKS} made-up codes and ${LOGOUTS} made-up logout tokens for one that does not respond`,
  settings: {
    TRUST_PROXY_HOPS: "1",
    OIDC_PROVIDERS: JSON.stringify([{ id: "slow", name: "Slow", issuer, client_id: "nts", client_secret: "secret" }]),
  },
  prepare: startSlowProvider,
  run: async ({ url }, server) => {
    const anonymous = callerOf(url, "nobody");
    try {
      const starts = await mapConcurrently(
        BEGUN,
        AT_A_TIME,
        async (n) => (await anonymous.send("POST", PATH, {}, forwardedFor(n))).status,
      );
      const callbacks = mapConcurrently(CALLBACKS, AT_A_TIME, (n) => returnFromProvider(url, n));
      const token = `${encoded({ alg: "RS256", kid: "1" })}.${encoded({ iss: issuer, aud: "nts" })}.AAAA`;
      const form = { "content-type": "application/x-www-form-urlencoded" };
      const logouts = mapConcurrently(LOGOUTS, AT_A_TIME, async (n) => {
        const headers = { ...form, ...forwardedFor(n) };
        return (await anonymous.send("POST", `${PATH}/logout`, `logout_token=${token}`, headers)).status;
      });
      const ended = [...(await callbacks), ...(await logouts)];
      expectThat(!ended.includes(200), "a made-up logout token was taken");
      expectThat(!ended.includes(0) && !ended.includes(500), "a request failed");
      return `${tally(starts)}; ${tally(ended)}`;
    } finally {
      server.closeAllConnections();
      server.close();
    }
  },
};

async function returnFromProvider(url: string, n: number): Promise<number> {
  const redirect = await fetch(url + PATH, { redirect: "manual", headers: forwardedFor(n) });
  const cookie = redirect.headers.getSetCookie()[0]?.split(";")[0] ?? "";
  const state = new URL(redirect.headers.get("location") ?? url).searchParams.get("state") ?? "unknown";
  const back = `${url}${PATH}/callback?code=made-up&state=${state}`;
  return (await fetch(back, { redirect: "manual", headers: { cookie, ...forwardedFor(n) } })).status;
}

function encoded(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString("base64url");
}
