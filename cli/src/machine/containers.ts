import { request } from "node:http";
import type { Surroundings } from "../terminal.js";
import type { Findings } from "./found.js";

// Running containers of Docker and Podman, by the command or else the socket. Of what `inspect` says, only names, images and ports
// are kept: commands and environments contain secrets.

type Engine = "docker" | "podman";

export type Sockets = Readonly<Record<Engine, readonly string[]>>;

const SOCKETS: Sockets = {
  docker: ["/var/run/docker.sock"],
  podman: [
    "/run/podman/podman.sock",
    ...(process.getuid === undefined ? [] : [`/run/user/${process.getuid()}/podman/podman.sock`]),
  ],
};
const ENGINES: readonly Engine[] = ["docker", "podman"];

type Inspected = Readonly<Record<string, Readonly<Record<string, unknown>> | undefined>>;

/** The running containers, all of them for each engine. */
export async function inspectContainers(
  { run }: Pick<Surroundings, "run">,
  sockets: Sockets = SOCKETS,
): Promise<Findings> {
  const found: Findings[] = [];
  for (const engine of ENGINES) {
    const ids = await run(engine, ["ps", "-q"]);
    // Podman's replacement of the command `docker` would show the same containers twice.
    const isOther =
      engine === "docker" && ids !== null && ((await run(engine, ["--version"])) ?? "").includes("podman");
    if (!isOther)
      found.push(await (ids === null ? inspectBySocket(engine, sockets[engine]) : inspect(run, engine, ids)));
  }
  return { files: found.flatMap(({ files }) => files), unread: found.flatMap(({ unread }) => unread) };
}

async function inspect(run: Surroundings["run"], engine: Engine, ids: string): Promise<Findings> {
  const list = ids.split("\n").filter((id) => id !== "");
  const text = list.length === 0 ? "[]" : await run(engine, ["inspect", ...list]);
  if (text === null) return { files: [], unread: [`${engine}: ${engine} inspect failed.`] };
  return found(engine, JSON.parse(text) as readonly Inspected[]);
}

/** With the command in its first line, a file has every container that runs. */
function found(engine: Engine, containers: readonly Inspected[]): Findings {
  const text = `# ${engine} inspect $(${engine} ps -q)\n${JSON.stringify(containers.map((one) => withoutSecrets(engine, one)))}`;
  return { files: [{ source: engine, format: "docker", text, isOwn: true }], unread: [] };
}

function withoutSecrets(engine: Engine, container: Inspected): object {
  const { Id, Name, State, Config, HostConfig, NetworkSettings } = container;
  return {
    Id,
    Name,
    State: { Running: State?.["Running"] },
    Config: { Image: Config?.["Image"] },
    HostConfig: { NetworkMode: HostConfig?.["NetworkMode"] },
    NetworkSettings: { Ports: NetworkSettings?.["Ports"] },
    // By which files of Podman are told apart.
    ...(engine === "podman" && { OCIRuntime: "" }),
  };
}

async function inspectBySocket(engine: Engine, paths: readonly string[]): Promise<Findings> {
  const unread: string[] = [];
  for (const socketPath of paths) {
    try {
      const ask = (path: string): Promise<string> => askSocket(socketPath, path);
      const containers = JSON.parse(await ask("/containers/json")) as readonly { readonly Id: string }[];
      const inspected: Inspected[] = [];
      for (const { Id } of containers)
        inspected.push(JSON.parse(await ask(`/containers/${encodeURIComponent(Id)}/json`)) as Inspected);
      return found(engine, inspected);
    } catch (error) {
      const { code, message } = error as NodeJS.ErrnoException;
      if (code !== "ENOENT") unread.push(`${engine}: ${socketPath} cannot be read (${code ?? message}).`);
    }
  }
  return { files: [], unread };
}

function askSocket(socketPath: string, path: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const asking = request({ socketPath, path, timeout: 10_000 }, (response) => {
      let text = "";
      response.setEncoding("utf8");
      response.on("data", (part: string) => (text += part));
      response.on("error", reject);
      response.on("end", () => {
        if (response.statusCode === 200) resolve(text);
        else reject(new Error(`HTTP ${response.statusCode ?? 0}`));
      });
    });
    asking.on("error", reject);
    asking.on("timeout", () => asking.destroy(new Error("it does not respond")));
    asking.end();
  });
}
