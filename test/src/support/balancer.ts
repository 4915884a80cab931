/**
 * Spreads requests over gateways like a load balancer: by `/readyz`, with refused connections retried at the next one.
 */
import { Agent, request, type OutgoingHttpHeaders } from "node:http";
import { respondsOk } from "@nts/local/processes/probes";
import type { ProcessHandle } from "./stack.js";

const HEALTH_MS = 100;
const TIMEOUT_MS = 15_000;
const REFUSED = new Set(["ECONNREFUSED", "no gateway"]);

export interface BalancerResponse {
  readonly status: number;
  readonly text: string;
}

/** Text is sent unchanged, anything else as JSON. */
export type Body = object | string;

export interface Balancer {
  send(method: string, path: string, headers: OutgoingHttpHeaders, body?: Body): Promise<BalancerResponse>;
  stop(): void;
}

/** Begins to spread requests over ready gateways. */
export async function startBalancer(gateways: readonly ProcessHandle[]): Promise<Balancer> {
  const targets = gateways.map(({ url, opsUrl }) => ({
    ...{ url, opsUrl, isReady: false },
    agent: new Agent({ keepAlive: true }),
  }));
  const check = async (): Promise<void> => {
    await Promise.all(
      targets.map(async (target) => {
        target.isReady = await respondsOk(`${target.opsUrl}/readyz`);
      }),
    );
  };
  await check();
  const checking = setInterval(() => void check(), HEALTH_MS);
  let turn = 0;

  async function send(
    method: string,
    path: string,
    headers: OutgoingHttpHeaders,
    body?: Body,
  ): Promise<BalancerResponse> {
    const ready = targets.filter(({ isReady }) => isReady);
    const first = turn++;
    for (let tried = 0; ; tried++) {
      const target = ready[(first + tried) % ready.length];
      try {
        if (target === undefined) throw Object.assign(new Error("no gateway is ready"), { code: "no gateway" });
        return await sendTo(target, { method, path, headers, body });
      } catch (error) {
        if (!REFUSED.has(String((error as { code?: string }).code)) || tried + 1 >= ready.length) throw error;
      }
    }
  }

  return {
    send,
    stop: () => {
      clearInterval(checking);
      for (const { agent } of targets) agent.destroy();
    },
  };
}

function sendTo(
  { url, agent }: { readonly url: string; readonly agent: Agent },
  what: { method: string; path: string; headers: OutgoingHttpHeaders; body: Body | undefined },
): Promise<BalancerResponse> {
  const { method, path, headers, body } = what;
  const text = typeof body === "object" ? JSON.stringify(body) : body;
  const ofBody =
    text === undefined ? {} : { "content-type": "application/json", "content-length": Buffer.byteLength(text) };
  return new Promise((resolve, reject) => {
    const sent = request(
      url + path,
      { method, agent, headers: { ...ofBody, ...headers }, timeout: TIMEOUT_MS },
      (response) => {
        let received = "";
        response.setEncoding("utf8");
        response.on("data", (piece: string) => (received += piece));
        response.once("end", () => {
          resolve({ status: response.statusCode ?? 0, text: received });
        });
        response.once("error", reject);
      },
    );
    sent.once("timeout", () => sent.destroy(new Error(`no response within ${TIMEOUT_MS} ms`)));
    sent.once("error", reject);
    sent.end(text);
  });
}
