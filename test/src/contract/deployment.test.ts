/** The files of `deploy` agree with the code and with each other; `npm run long -- containers` tests whether they work. */
import { describe, expect, it } from "@jest/globals";
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { execaSync } from "execa";
import { parse, parseAllDocuments } from "yaml";
import type { z } from "zod";
import { GatewayConfig } from "@nts/gateway/config";
import { IdentitySettings } from "@nts/identity/config";
import { ROOT } from "@nts/local/processes/system";
import { REDIS_RIGHTS } from "@nts/local/servers/redis";
import { readConfig } from "@nts/shared/config";
import { BUS_RIGHTS } from "@nts/shared/contract/messages";
import { STOPPING } from "@nts/shared/timing";
import { TopologySettings } from "@nts/topology/config";
import { settingsIn } from "../support/env-file.js";
import { alertRules } from "../support/observability-files.js";

const PROCESSES: Readonly<Record<string, z.ZodObject>> = {
  gateway: GatewayConfig,
  identity: IdentitySettings,
  topology: TopologySettings,
};
const NAMES = Object.keys(PROCESSES);
const read = (path: string): string => readFileSync(join(ROOT, path), "utf8");

interface ComposeService {
  readonly environment: Readonly<Record<string, string>>;
  readonly ports?: readonly string[];
  readonly read_only?: boolean;
  readonly cap_drop?: readonly string[];
  readonly security_opt?: readonly string[];
  readonly mem_limit?: string;
  readonly cpus?: number | string;
  readonly pids_limit?: number;
  readonly stop_grace_period?: string;
  readonly volumes?: readonly string[];
}
interface Manifest {
  readonly kind: string;
  readonly spec: { readonly template: { readonly spec: PodSpec } };
}
interface PodSpec {
  readonly terminationGracePeriodSeconds: number;
  readonly securityContext: { readonly runAsNonRoot: boolean };
  readonly containers: readonly {
    readonly env: readonly { readonly name: string; readonly valueFrom: { readonly secretKeyRef: unknown } }[];
    readonly ports: readonly { readonly name: string; readonly containerPort: number }[];
    readonly securityContext: { readonly readOnlyRootFilesystem: boolean };
  }[];
}

const composeText = read("deploy/docker-compose.yml");
const compose = parse(composeText, { merge: true }) as { services: Record<string, ComposeService> };
const example = settingsIn(read("deploy/env.example"));
const secrets = Object.keys(example).filter((name) => /SECRETS|PASSWORD|KEYFILE/.test(name));

describe.each(NAMES)("%s", (name) => {
  const schema = PROCESSES[name]!;
  const settings = Object.keys(schema.shape).sort();
  const plain = settingsIn(read(`deploy/kubernetes/base/${name}.env`));
  const pod = deploymentOf(name);
  const [container] = pod.containers;
  const secret = container!.env.map((one) => one.name);

  it("has each of its settings in env.example, in compose and in its manifest, and no others", () => {
    expect(settings.filter((setting) => !(setting in example))).toEqual([]);
    expect(Object.keys(compose.services[name]!.environment).sort()).toEqual(settings);
    expect([...Object.keys(plain), ...secret].sort()).toEqual(settings);
  });

  it("accepts its settings from compose and from its manifest", () => {
    const referred = {
      GATEWAY_TO_IDENTITY_SECRETS: "s".repeat(64),
      GATEWAY_TO_TOPOLOGY_SECRETS: "s".repeat(64),
      IDENTITY_TO_TOPOLOGY_SECRETS: "s".repeat(64),
      NATS_URL: "nats://u:p@nats:4222",
      REDIS_URL: "redis://gateway:p@redis:6379",
      MONGODB_URL: "mongodb://u:p@mongodb/?replicaSet=rs0",
    };
    const given = filledInAll(compose.services[name]!.environment);
    expect(faultsOf(schema, { ...given, INSECURE_HTTP: "yes" })).toBe("");
    expect(faultsOf(schema, { ...referred, ...plain, INSECURE_HTTP: "yes" })).toBe("");
  });

  it("is not started where others reach it through http, unless INSECURE_HTTP says so", () => {
    const isPublic = "PUBLIC_URL" in schema.shape;
    const faults = faultsOf(schema, filledInAll(compose.services[name]!.environment));
    expect([name, /PUBLIC_URL: is http.*INSECURE_HTTP=yes/.test(faults)]).toEqual([name, isPublic]);
    expect([name, plain["INSECURE_HTTP"]]).toEqual([name, isPublic ? "no" : undefined]);
  });

  it("has the same defaults in env.example, compose and manifest as in the code, except for its addresses", () => {
    const decided = new Set(["HOST", "PORT", "OPS_PORT", "DRAIN_DELAY_MS", "TRUST_PROXY_HOPS", "INSECURE_HTTP"]);
    const defaults = Object.entries(schema.shape)
      .map(([setting, type]) => [setting, (type as z.ZodType).safeParse(undefined).data] as const)
      .filter(([setting, value]) => value !== undefined && !decided.has(setting) && setting !== "MONGODB_DATABASE")
      .map(([setting, value]) => [setting, String(value)] as const);
    expect(defaults.length).toBeGreaterThan(0);
    for (const [setting, value] of defaults) {
      expect([setting, example[setting]]).toEqual([setting, value]);
      expect([setting, plain[setting]]).toEqual([setting, value]);
      expect([setting, filledIn(compose.services[name]!.environment[setting] ?? "", false)]).toEqual([setting, value]);
    }
  });

  it("has a stop timeout longer than its own", () => {
    const graceMs = Number.parseInt(compose.services[name]!.stop_grace_period ?? "", 10) * 1_000;
    expect(graceMs).toBeGreaterThan(Number(example["DRAIN_DELAY_MS"]) + STOPPING.limitMs);
    expect(pod.terminationGracePeriodSeconds * 1_000).toBeGreaterThan(
      Number(plain["DRAIN_DELAY_MS"]) + STOPPING.limitMs,
    );
  });

  it("has a read-only file system, an unprivileged user, and the expected port", () => {
    expect(compose.services[name]!.read_only).toBe(true);
    expect(container!.securityContext.readOnlyRootFilesystem).toBe(true);
    expect(pod.securityContext.runAsNonRoot).toBe(true);
    expect(read("deploy/Dockerfile")).toMatch(/^USER 1000:1000$/m);
    const ports = Object.fromEntries(container!.ports.map((port) => [port.name, String(port.containerPort)]));
    expect(ports).toEqual({ http: plain["PORT"], ops: plain["OPS_PORT"] });
  });

  it("gets secrets by reference only", () => {
    expect(container!.env.every(({ valueFrom }) => valueFrom.secretKeyRef !== undefined)).toBe(true);
    expect(
      Object.keys(plain).filter((setting) => /SECRET|PASSWORD|REDIS_URL|NATS_URL|MONGODB_URL/.test(setting)),
    ).toEqual([]);
  });
});

describe("docker-compose.yml", () => {
  it("publishes one port, that of the edge, on this machine only by default", () => {
    const published = Object.entries(compose.services).filter(([, { ports }]) => ports !== undefined);
    expect(published.map(([name, { ports }]) => [name, ports])).toEqual([
      ["edge", ["${PUBLISH:-127.0.0.1:8080}:8080"]],
    ]);
  });

  it("runs every container without privileges, on a read-only file system, within bounds", () => {
    for (const [name, service] of Object.entries(compose.services)) {
      const { read_only, cap_drop, security_opt, mem_limit, cpus, pids_limit } = service;
      const hardened = [name, true, ["ALL"], ["no-new-privileges:true"]];
      expect([name, read_only, cap_drop, security_opt]).toEqual(hardened);
      expect([name, mem_limit === undefined, cpus === undefined, pids_limit === undefined]).toEqual([
        name,
        false,
        false,
        false,
      ]);
    }
  });

  it("gives the gateways the rights at Redis that they have in npm start", () => {
    expect(composeText).toContain(`user gateway on >$$REDIS_PASSWORD ${REDIS_RIGHTS}\n`);
    expect(composeText).toContain("user default off\n");
  });

  it("uses no variable that is missing in env.example, with the same default, and env.example has no others", () => {
    const used = new Map<string, string>();
    for (const [, name, operator, value] of composeText.matchAll(/(?<!\$)\$\{(\w+)(:[-?])([^}]*)\}/g))
      used.set(name!, operator === ":-" ? value! : "");
    const active = settingsIn(read("deploy/env.example").replace(/^# [A-Z_]+=.*$/gm, ""));
    delete active["COMPOSE_PROJECT_NAME"]; // of Compose itself
    expect(Object.fromEntries([...used].sort())).toEqual(Object.fromEntries(Object.entries(active).sort()));
  });

  it("gives each bus user exactly the permissions that its process needs", () => {
    const [, settings = ""] = /users: \[([\s\S]*?)\n\s*\] \}/.exec(composeText) ?? [];
    const quoted = (text = ""): string[] => [...text.matchAll(/"([^"]+)"/g)].map(([, subject = ""]) => subject);
    const rights = settings
      .split("{ user: ")
      .slice(1)
      .map((user) => {
        const [, publish, subscribe] =
          /publish: (\[[^\]]*\]),\s*subscribe: (\[[^\]]*\]|\{ deny: ">" \})/.exec(user) ?? [];
        const allowed = subscribe === '{ deny: ">" }' ? [] : quoted(subscribe);
        return [quoted(user)[0], { publish: quoted(publish), subscribe: allowed }];
      });
    expect(Object.fromEntries(rights)).toEqual(BUS_RIGHTS);
  });

  it("does not start without its secrets", () => {
    for (const name of secrets)
      for (const [, operator] of composeText.matchAll(new RegExp(`\\$\\{${name}(..)`, "g")))
        expect([name, operator]).toEqual([name, ":?"]);
  });
});

describe("compose", () => {
  /** The output before Compose itself, which is replaced by a stub. */
  function run(args: readonly string[], env: Readonly<Record<string, string>>) {
    const folder = mkdtempSync(join(tmpdir(), "compose-"));
    try {
      writeFileSync(join(folder, "docker"), "#!/bin/sh\necho INSECURE_HTTP=$INSECURE_HTTP\n", { mode: 0o755 });
      const PATH = `${folder}:${process.env["PATH"] ?? ""}`;
      return execaSync(join(ROOT, "deploy/compose"), args, { env: { ...env, PATH }, reject: false });
    } finally {
      rmSync(folder, { recursive: true });
    }
  }

  it.each(["8080", "0.0.0.0:8080", "192.0.2.1:80"])("does not start without TLS when it publishes %s", (PUBLISH) => {
    const plain = { PUBLISH, PUBLIC_URL: "http://topology.example.com" };
    const refused = run(["up", "-d"], plain);
    expect([refused.exitCode, refused.stdout]).toEqual([1, ""]);
    expect(refused.stderr).toContain("TLS is missing");
    const accepted = run(["up", "-d"], { ...plain, INSECURE_HTTP: "yes" });
    expect([accepted.exitCode, accepted.stdout]).toEqual([0, "INSECURE_HTTP=yes"]);
    expect(accepted.stderr).toContain("TLS is missing");
    for (const fine of [run(["up", "-d"], { PUBLISH, PUBLIC_URL: "https://topology.example.com" }), run(["ps"], plain)])
      expect([fine.exitCode, fine.stdout, fine.stderr]).toEqual([0, "INSECURE_HTTP=", ""]);
  });

  it("accepts http when only this machine reaches the edge", () => {
    const { stdout, stderr } = run(["up", "-d"], { PUBLISH: "127.0.0.1:8080", PUBLIC_URL: "http://localhost:8080" });
    expect([stdout, stderr]).toEqual(["INSECURE_HTTP=yes", ""]);
  });
});

describe("the address of a client", () => {
  const overlay = parse(read("deploy/kubernetes/overlays/production/kustomization.yaml")) as {
    configMapGenerator: { name: string; literals: string[] }[];
    patches: { target: { kind: string; name: string }; patch: string }[];
  };
  const hopsIn = (settings: Readonly<Record<string, string>>): string | undefined => settings["TRUST_PROXY_HOPS"];

  it("is taken from proxy headers only behind a proxy of our own", () => {
    expect(GatewayConfig.shape.TRUST_PROXY_HOPS.parse(undefined)).toBe(0);
    expect(hopsIn(settingsIn(read("deploy/kubernetes/base/gateway.env")))).toBe("0");
    expect(filledIn(compose.services["gateway"]!.environment["TRUST_PROXY_HOPS"]!)).toBe("1");
    expect(hopsIn(example)).toBe("1");
    const { literals } = overlay.configMapGenerator.find(({ name }) => name === "gateway")!;
    expect(hopsIn(settingsIn(literals.join("\n").replace(/ #.*/g, "")))).toBe("1");
  });

  it("cannot be forged: network policies name who may reach a gateway", () => {
    interface Policy {
      metadata: { name: string };
      spec: { ingress?: { from?: unknown[] }[] };
    }
    const policies = parseAllDocuments(read("deploy/kubernetes/base/network-policies.yaml")).map(
      (one) => one.toJS() as Policy,
    );
    const { ingress } = policies.find(({ metadata }) => metadata.name === "gateway")!.spec;
    expect(ingress).toEqual([{ from: [{ podSelector: {} }], ports: [{ port: "http" }] }]);
    const patched = overlay.patches.filter(
      ({ target }) => target.kind === "NetworkPolicy" && target.name === "gateway",
    );
    const changes = patched.flatMap(({ patch }) => parse(patch) as { path: string; value: unknown }[]);
    expect(changes.find(({ path }) => path === "/spec/ingress/0/from")?.value).toEqual([
      { namespaceSelector: expect.anything(), podSelector: expect.anything() },
    ]);
  });
});

describe("init-secrets", () => {
  it("creates every secret once, readable by its owner only, and prints none", () => {
    const folder = mkdtempSync(join(tmpdir(), "init-secrets-"));
    const file = join(folder, "env");
    const run = () => execaSync(join(ROOT, "deploy/init-secrets"), [file]);
    try {
      const printed = run().stdout;
      const made = settingsIn(readFileSync(file, "utf8"));
      expect(secrets.length).toBeGreaterThan(5);
      for (const name of secrets) expect([name, made[name]]).toEqual([name, expect.stringMatching(/^[0-9a-f]{64}$/)]);
      expect(new Set(secrets.map((name) => made[name])).size).toBe(secrets.length);
      expect(secrets.filter((name) => printed.includes(made[name]!))).toEqual([]);
      expect(statSync(file).mode & 0o777).toBe(0o600);
      expect({ ...made, ...Object.fromEntries(secrets.map((name) => [name, ""])) }).toEqual(example);

      expect(run().stdout).toBe("");
      expect(settingsIn(readFileSync(file, "utf8"))).toEqual(made);
      expect(readdirSync(folder)).toEqual(["env"]);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});

describe("the operations page", () => {
  it("explains every alert and what to do, and names no others", () => {
    const rows = [...read("docs/operations.md").matchAll(/^\| `(Nts\w+)` +\| \S.*?\S +\| \S.*\|$/gm)];
    expect(rows.map(([, name]) => name).sort()).toEqual(alertRules.map(({ alert }) => alert).sort());
  });

  it("explains how to replace every secret", () => {
    const page = read("docs/operations.md");
    const part = page.slice(page.indexOf("## Secrets"), page.indexOf("## Backup and restore"));
    const named = [...part.matchAll(/`([A-Z_]+)(…?)`/g)].map(([, name, rest]) => ({
      name: name!,
      isPrefix: rest !== "",
    }));
    const isNamed = (secret: string): boolean =>
      named.some(({ name, isPrefix }) => (isPrefix ? secret.startsWith(name) : secret === name));
    expect(secrets.filter((secret) => !isNamed(secret))).toEqual([]);
  });
});

function deploymentOf(name: string): PodSpec {
  const documents = parseAllDocuments(read(`deploy/kubernetes/base/${name}.yaml`)).map((one) => one.toJS() as Manifest);
  return documents.find(({ kind }) => kind === "Deployment")!.spec.template.spec;
}

/** The validation errors of a process for its environment. */
function faultsOf(schema: z.ZodObject, env: Readonly<Record<string, string>>): string {
  try {
    readConfig(schema, env);
    return "";
  } catch (error) {
    return (error as Error).message;
  }
}

function filledInAll(environment: ComposeService["environment"]): Record<string, string> {
  return Object.fromEntries(Object.entries(environment).map(([key, value]) => [key, filledIn(value)]));
}

/** A value of the compose file with its variables replaced by their defaults. */
function filledIn(value: string, withSecrets = true): string {
  return value.replaceAll(/\$\{\w+:([-?])([^}]*)\}/g, (_, operator: string, rest: string) =>
    operator === "-" ? rest : withSecrets ? "s".repeat(64) : "",
  );
}
