import express, { type Express } from "express";
import type { Registry } from "prom-client";
import type { Readiness } from "../lifecycle.js";
import type { MigrationProgress } from "../mongo/migration-progress.js";

/** A dependency of a process; the promise rejects while it is unavailable. */
export type ReadinessCheck = () => Promise<void> | void;

/**
 * The internal endpoints of a process, never published: `/livez` (running), `/readyz` (accepts requests and all
 * dependencies are available; 503 names the missing ones), `/metrics` (Prometheus).
 *
 * @param migrating its progress while the process migrates its database, which launchers wait for
 */
export function createOperationsApp(
  registry: Registry,
  readiness: Readiness,
  checks: Readonly<Record<string, ReadinessCheck>>,
  migrating: () => MigrationProgress | null = () => null,
): Express {
  const app = express().disable("x-powered-by");
  app.get("/livez", (_request, response) => void response.json({ status: "ok" }));
  app.get("/readyz", async (_request, response) => {
    const missing = readiness.stopping ? ["stopping"] : await failing(checks);
    const progress = readiness.stopping ? null : migrating();
    if (missing.length === 0) response.json({ status: "ok", missing });
    else if (progress === null) response.status(503).json({ status: "unavailable", missing });
    else response.status(503).json({ status: "migrating", ...progress, missing });
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
