import { copyFile, mkdir, writeFile } from "node:fs/promises";
import { freemem, homedir } from "node:os";
import { basename, delimiter, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { execa } from "execa";
import { ROOT } from "@nts/local/processes/system";
import { hasPython, preparePythonTool, succeeds } from "../support/python-tools.js";

// Generators of clients, pinned. Each makes its client with default settings, builds it, and runs the program of
// `test/clients` that has its name.

/** Where a client is made and used. */
export interface Place {
  readonly folder: string;
  /** Of the system, which has the document. */
  readonly url: string;
  /** For the program: the system, a key, a network with a subnet, and a file to import. */
  readonly env: Record<string, string>;
}

interface Generator {
  readonly name: string;
  /** What the machine lacks for it, or null. */
  lacks(): Promise<string | null>;
  /** Throws unless the client works. */
  work(place: Place): Promise<void>;
}

const PROGRAMS = fileURLToPath(new URL("../../clients/", import.meta.url));
const VERSIONS = {
  "openapi-generator": "7.25.0",
  "oapi-codegen": "v2.8.2",
  ogen: "v1.25.0",
  "hey-api": "0.95.0",
  spectral: "6.15.0",
  redocly: "2.14.0",
  fetch: "0.17.0",
};

const cacheFolder = (): string => {
  const base = process.env["XDG_CACHE_HOME"] ?? "";
  return join(base === "" ? join(homedir(), ".cache") : base, "network-topology-service", "client-generators");
};

/** Runs a command, which has the last lines of its output in its error. */
async function run(
  command: string,
  args: readonly string[],
  options: { cwd?: string; env?: Record<string, string> } = {},
) {
  const { failed, all } = await execa(command, args, { ...options, reject: false, all: true });
  if (failed) throw new Error(`FAILED: ${command} ${args.join(" ")}\n${all.split("\n").slice(-30).join("\n")}`);
}

/** The document in a file. @param edition its version of OpenAPI */
async function documentIn({ folder, url }: Place, edition: "3.0" | "3.1" = "3.1"): Promise<string> {
  const response = await fetch(`${url}/openapi.json?openapi=${edition}`);
  const path = join(folder, "openapi.json");
  await writeFile(path, await response.text());
  return path;
}

const lacksPython = async (): Promise<string | null> =>
  (await hasPython()) ? null : "there is no python3 of 3.11 or newer";
const lacksGo = async (): Promise<string | null> => ((await succeeds("go", ["version"])) ? null : "there is no go");
const lacksMemory = (): Promise<string | null> =>
  Promise.resolve(freemem() < 12 * 2 ** 30 ? "compiling it takes 11 GiB of memory" : null);
const lacksRust = async (): Promise<string | null> =>
  (await succeeds("cargo", ["--version"])) ? null : "there is no cargo";
const lacksJava = async (): Promise<string | null> =>
  (await succeeds("java", ["-version"])) && (await succeeds("mvn", ["-version"]))
    ? null
    : "there is no java with maven, for openapi-generator";
const firstOf =
  (...lacks: (() => Promise<string | null>)[]) =>
  async (): Promise<string | null> => {
    for (const lack of lacks) {
      const lacking = await lack();
      if (lacking !== null) return lacking;
    }
    return null;
  };

/** Makes a client by openapi-generator. */
async function openApiGenerator(place: Place, language: string, output: string): Promise<void> {
  const version = VERSIONS["openapi-generator"];
  const jar = join(cacheFolder(), `openapi-generator-cli-${version}.jar`);
  const artifact = `org.openapitools:openapi-generator-cli:${version}`;
  if (!(await succeeds("java", ["-jar", jar, "version"])))
    await run("mvn", ["-q", "dependency:copy", `-Dartifact=${artifact}`, `-DoutputDirectory=${cacheFolder()}`]);
  const document = await documentIn(place);
  await run("java", ["-jar", jar, "generate", "-g", language, "-i", document, "-o", join(place.folder, output)]);
}

/** A program of npm packages, which are installed into the cache. */
async function npmTool(name: string, program: string, packages: readonly string[]): Promise<string> {
  const folder = join(cacheFolder(), name);
  await mkdir(folder, { recursive: true });
  const path = join(folder, "node_modules/.bin", program);
  if (!(await succeeds(path, ["--version"])))
    await run("npm", ["install", "--no-save", "--prefix", folder, ...packages]);
  return path;
}

/** A program in Go, of a module that a tool installs into the cache. */
async function goTool(name: string, module: string): Promise<string> {
  const bin = join(cacheFolder(), module.replaceAll(/\W+/g, "-"));
  const program = join(bin, name);
  if (!(await succeeds(program, ["-version"]))) await run("go", ["install", module], { env: { GOBIN: bin } });
  return program;
}

/** Runs the program in Go of a generator, as a module with the client inside or beside it. */
async function runInGo({ folder, env }: Place, name: string, module: string): Promise<void> {
  await writeFile(join(folder, "go.mod"), module);
  for (const file of [`${name}/work.go`, "checks.go"])
    await copyFile(join(PROGRAMS, file), join(folder, basename(file)));
  await run("go", ["mod", "tidy"], { cwd: folder });
  await run("go", ["run", "."], { cwd: folder, env });
}

/** Compiles the program in TypeScript of a generator, and runs it. */
async function runInTypeScript(
  { folder, env }: Place,
  name: string,
  { packages }: { packages: readonly string[] },
): Promise<void> {
  await writeFile(join(folder, "package.json"), JSON.stringify({ type: "module", private: true }));
  if (packages.length > 0) await run("npm", ["install", "--no-audit", "--no-fund", ...packages], { cwd: folder });
  await copyFile(join(PROGRAMS, name, "work.ts"), join(folder, "work.ts"));
  const compilerOptions = {
    strict: true,
    noEmit: true,
    module: "preserve",
    target: "es2023",
    lib: ["es2023", "dom", "dom.iterable"],
    typeRoots: [join(ROOT, "node_modules/@types")],
    types: ["node"],
  };
  await writeFile(join(folder, "tsconfig.json"), JSON.stringify({ compilerOptions, files: ["work.ts"] }));
  await run("node", [join(ROOT, "node_modules/typescript/bin/tsc"), "-p", folder]);
  const program = join(folder, "work.mjs");
  const esbuild = join(ROOT, "node_modules/.bin/esbuild");
  await run(esbuild, [join(folder, "work.ts"), "--bundle", "--platform=node", "--format=esm", `--outfile=${program}`]);
  await run("node", [program], { env });
}

/** The generators, the quickest first; before them, what judges the document. */
export const GENERATORS: readonly Generator[] = [
  {
    name: "spectral",
    lacks: () => Promise.resolve(null),
    work: async (place) => {
      const program = await npmTool(`spectral-${VERSIONS.spectral}`, "spectral", [
        `@stoplight/spectral-cli@${VERSIONS.spectral}`,
      ]);
      const rules = join(PROGRAMS, "spectral.yaml");
      await run(program, ["lint", await documentIn(place), "--ruleset", rules, "--fail-severity", "hint"]);
    },
  },
  {
    name: "redocly",
    lacks: () => Promise.resolve(null),
    work: async (place) => {
      const program = await npmTool(`redocly-${VERSIONS.redocly}`, "redocly", [`@redocly/cli@${VERSIONS.redocly}`]);
      const rules = join(PROGRAMS, "redocly.yaml");
      const env = { REDOCLY_TELEMETRY: "off", REDOCLY_SUPPRESS_UPDATE_NOTICE: "true" };
      // Warnings fail no run of it, so that all rules are errors there.
      await run(program, ["lint", await documentIn(place), "--config", rules], { env });
    },
  },
  {
    name: "openapi-python-client",
    lacks: lacksPython,
    work: async (place) => {
      const name = "openapi-python-client";
      const generator = await preparePythonTool({
        name,
        requirements: join(PROGRAMS, `${name}.txt`),
        report: console.log,
      });
      const output = join(place.folder, "nts_api");
      await run(generator, ["generate", "--path", await documentIn(place), "--output-path", output, "--meta", "none"]);
      const env = { ...place.env, PYTHONPATH: place.folder, PYTHONDONTWRITEBYTECODE: "1" };
      await run(join(dirname(generator), "python"), [join(PROGRAMS, name, "work.py")], { env });
    },
  },
  {
    name: "openapi-typescript",
    lacks: () => Promise.resolve(null),
    work: async (place) => {
      const generator = join(ROOT, "test/node_modules/openapi-typescript/bin/cli.js");
      await run("node", [generator, await documentIn(place), "-o", join(place.folder, "schema.d.ts")]);
      await runInTypeScript(place, "openapi-typescript", { packages: [`openapi-fetch@${VERSIONS.fetch}`] });
    },
  },
  {
    name: "hey-api",
    lacks: () => Promise.resolve(null),
    work: async (place) => {
      const packages = [`@hey-api/openapi-ts@${VERSIONS["hey-api"]}`, "typescript@5.9.3"];
      const generator = await npmTool(`hey-api-${VERSIONS["hey-api"]}`, "openapi-ts", packages);
      const cwd = join(dirname(generator), "../..");
      await run(generator, ["-i", await documentIn(place), "-o", join(place.folder, "client")], { cwd });
      await runInTypeScript(place, "hey-api", { packages: [] });
    },
  },
  {
    name: "openapi-generator-typescript",
    lacks: lacksJava,
    work: async (place) => {
      await openApiGenerator(place, "typescript-fetch", "client");
      await runInTypeScript(place, "openapi-generator-typescript", { packages: [] });
    },
  },
  {
    name: "openapi-generator-python",
    lacks: firstOf(lacksJava, lacksPython),
    work: async (place) => {
      await openApiGenerator(place, "python", "client");
      const python = join(place.folder, "venv/bin/python");
      await run("python3", ["-m", "venv", join(place.folder, "venv")]);
      await run(python, ["-m", "pip", "install", "--quiet", join(place.folder, "client")]);
      await run(python, [join(PROGRAMS, "openapi-generator-python/work.py")], { env: place.env });
    },
  },
  {
    name: "openapi-generator-go",
    lacks: firstOf(lacksJava, lacksGo),
    work: async (place) => {
      await openApiGenerator(place, "go", "client");
      const module = "github.com/GIT_USER_ID/GIT_REPO_ID";
      await runInGo(
        place,
        "openapi-generator-go",
        `module example.com/work\n\ngo 1.23\n\nrequire ${module} v0.0.0\n\nreplace ${module} => ./client\n`,
      );
    },
  },
  {
    name: "oapi-codegen",
    lacks: lacksGo,
    work: async (place) => {
      const module = `github.com/oapi-codegen/oapi-codegen/v2/cmd/oapi-codegen@${VERSIONS["oapi-codegen"]}`;
      const generator = await goTool("oapi-codegen", module);
      await mkdir(join(place.folder, "api"));
      const options = ["-package", "api", "-generate", "types,client", "-o", join(place.folder, "api/api.go")];
      await run(generator, [...options, await documentIn(place, "3.0")]);
      await runInGo(place, "oapi-codegen", "module example.com/work\n\ngo 1.24\n");
    },
  },
  {
    // It writes code for each failure of each operation, of which the compiler takes some minutes and gigabytes.
    name: "ogen",
    lacks: firstOf(lacksGo, lacksMemory),
    work: async (place) => {
      const generator = await goTool("ogen", `github.com/ogen-go/ogen/cmd/ogen@${VERSIONS.ogen}`);
      const options = ["-target", join(place.folder, "api"), "-package", "api"];
      await run(generator, [...options, await documentIn(place, "3.0")]);
      await runInGo(place, "ogen", "module example.com/work\n\ngo 1.25\n");
    },
  },
  {
    name: "openapi-generator-java",
    lacks: lacksJava,
    work: async (place) => {
      await openApiGenerator(place, "java", "client");
      const client = join(place.folder, "client");
      await copyFile(join(PROGRAMS, "openapi-generator-java/Work.java"), join(client, "src/main/java/Work.java"));
      await run("mvn", ["-q", "compile", "dependency:copy-dependencies"], { cwd: client });
      const path = [join(client, "target/classes"), join(client, "target/dependency/*")].join(delimiter);
      await run("java", ["-cp", path, "Work"], { env: place.env });
    },
  },
  {
    name: "openapi-generator-rust",
    lacks: firstOf(lacksJava, lacksRust),
    work: async (place) => {
      await openApiGenerator(place, "rust", "client");
      const client = join(place.folder, "client");
      await mkdir(join(client, "examples"));
      await copyFile(join(PROGRAMS, "openapi-generator-rust/main.rs"), join(client, "examples/work.rs"));
      await run("cargo", ["add", "--quiet", "--dev", "tokio", "--features", "macros,rt-multi-thread"], { cwd: client });
      const env = { ...place.env, CARGO_TARGET_DIR: join(cacheFolder(), "cargo") };
      await run("cargo", ["run", "--quiet", "--example", "work"], { cwd: client, env });
    },
  },
];
