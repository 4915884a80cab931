import express, { type Express } from "express";
import type { Registry } from "prom-client";

/** A dependency of a process; the promise rejects while it is unavailable. */
export type ReadinessCheck = () => Promise<void> | void;

/** Whether the process accepts requests; false once it is stopping. */
export interface Readiness {
  stopping: boolean;
}

/**
 * The internal endpoints of a process, never published: `/livez` (running), `/readyz` (accepts requests and all
 * dependencies are available; 503 names the missing ones), `/metrics` (Prometheus).
 */
export function createOperationsApp(
  registry: Registry,
  readiness: Readiness,
  checks: Readonly<Record<string, ReadinessCheck>>,
): Express {
  const app = express().disable("x-powered-by");
  app.get("/livez", (_request, response) => void response.json({ status: "ok" }));
  app.get("/readyz", async (_request, response) => {
    const missing = readiness.stopping ? ["stopping"] : await failing(checks);
    response
      .status(missing.length === 0 ? 200 : 503)
      .json({ status: missing.length === 0 ? "ok" : "unavailable", missing });
  });
  app.get("/metrics", async (_request, response) => {
    response.type(registry.contentType).send(await registry.metrics());
  });
  return app;
}

async function failing(checks: Readonly<Record<string, ReadinessCheck>>): Promise<string[]> {
  const results = await Promise.all(
    Object.entries(checks).map(async ([name, check]) => {
      try {
        await check();
        return null;
      } catch {
        return name;
      }
    }),
  );
  return results.filter((name) => name !== null);
}
