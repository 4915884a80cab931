/** A replica set of three members that a test may suspend one by one; without passwords, open to this machine only. */
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { MongoClient } from "mongodb";
import type { Component } from "@nts/local/processes/component";
import { freePorts } from "@nts/local/processes/ports";
import { SERVER_PROGRAMS } from "@nts/local/servers/catalogue";
import { findOrFetch } from "@nts/local/servers/find";
import { serverEnvironment } from "@nts/local/servers/server-options";
import { type Handle, startHandle } from "./handle.js";
import { until } from "./until.js";

export interface ReplicaSet {
  /** Names all members. */
  readonly url: string;
  /** The present primary, with a URL that names no other member. */
  primary(): Promise<{ readonly handle: Handle; readonly url: string }>;
  /** Waits until a member other than this one is primary. */
  untilReplaced(handle: Handle): Promise<void>;
  stop(): Promise<void>;
}

const ELECTION_MS = 2_000;

const urlOf = (host = ""): string => `mongodb://${host}/?directConnection=true`;

/** The state of a member; null without a response. */
async function stateOf(host: string): Promise<{ isWritablePrimary?: boolean } | null> {
  const client = new MongoClient(urlOf(host), { serverSelectionTimeoutMS: 500, socketTimeoutMS: 500 });
  try {
    return await client.db("admin").command({ hello: 1 });
  } catch {
    return null;
  } finally {
    void client.close();
  }
}

export async function startReplicaSet(dataDir: string): Promise<ReplicaSet> {
  const runnable = await findOrFetch(SERVER_PROGRAMS.mongodb, { report: () => undefined });
  const ports = await freePorts(3);
  const hosts = ports.map((port) => `127.0.0.1:${port}`);
  const handles = await Promise.all(ports.map(startMember));

  function startMember(port: number, index: number): Promise<Handle> {
    const name = `member-${index + 1}`;
    const folder = join(dataDir, name);
    mkdirSync(folder, { recursive: true });
    const component: Component = {
      name,
      tier: "server",
      command: runnable.command,
      args: [
        ...["--dbpath", folder, "--port", String(port), "--bind_ip", "127.0.0.1", "--nounixsocket"],
        ...["--replSet", "rs3", "--wiredTigerCacheSizeGB", "0.25", "--oplogSize", "64"],
        ...["--setParameter", "diagnosticDataCollectionEnabled=false"],
      ],
      env: serverEnvironment(runnable),
      isReady: async () => (await stateOf(hosts[index] ?? "")) !== null,
    };
    return startHandle(component, dataDir);
  }

  async function primaryIndex(but = -1): Promise<number> {
    let found = -1;
    await until(
      async () => {
        const said = await Promise.all(
          hosts.map((host, index) => (index === but ? Promise.resolve(null) : stateOf(host))),
        );
        found = said.findIndex((one) => one?.isWritablePrimary === true);
        return found !== -1;
      },
      100,
      60_000,
    );
    return found;
  }

  const first = new MongoClient(urlOf(hosts[0]));
  const members = hosts.map((host, _id) => ({ _id, host }));
  const settings = { electionTimeoutMillis: ELECTION_MS };
  await first.db("admin").command({ replSetInitiate: { _id: "rs3", members, settings } });
  await first.close();
  await primaryIndex();
  return {
    url: `mongodb://${hosts.join(",")}/?replicaSet=rs3`,
    primary: async () => {
      const index = await primaryIndex();
      return { handle: handles[index]!, url: urlOf(hosts[index]) };
    },
    untilReplaced: async (handle) => {
      await primaryIndex(handles.indexOf(handle));
    },
    stop: async () => {
      await Promise.all(handles.map((handle) => handle.kill()));
    },
  };
}
