import { existsSync, readdirSync, readFileSync } from "node:fs";
import { extname, join, relative, sep } from "node:path";
import type { HeaderList } from "../edge/header-list.js";
import { servedFile, type ServedFile } from "../files/served-file.js";

// The console's files, read once at startup. Without a build, `/` says so and the API is served all the same.

export interface Site {
  /** The file for a path as sent; null if there is none. */
  find(path: string): ServedFile | null;
  /** The page for unknown paths; null if the console was not built. */
  readonly notFound: ServedFile | null;
}

const TYPES: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".svg": "image/svg+xml",
  ".png": "image/png",
  ".woff2": "font/woff2",
};

/** The build puts a content hash into these file names. */
const HASHED = "/assets/";
const FOR_EVER = "public, max-age=31536000, immutable";
const ASK_AGAIN = "no-cache";

const ABSENT = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <title>No console here</title>
  </head>
  <body>
    <h1>This gateway was built without its console</h1>
    <p>The API works all the same; its documentation is at <a href="/api/docs">/api/docs</a>.</p>
    <p><code>npm start</code> and <code>npm run build</code> build the console.</p>
  </body>
</html>
`;

/** Reads a build folder. @param headers sent with every file */
export function readSite(folder: string, headers: HeaderList): Site {
  if (!existsSync(join(folder, "site.json"))) {
    const options = { contentType: typeOf(".html"), cacheControl: ASK_AGAIN, headers, status: 404 } as const;
    return siteOf(new Map([["/", servedFile(Buffer.from(ABSENT), options)]]));
  }
  const files = new Map(
    namesIn(folder)
      .filter((name) => extname(name) in TYPES)
      .map((name) => [`/${name.split(sep).join("/")}`, readFile(folder, name, headers)]),
  );
  const document = files.get("/index.html");
  files.delete("/index.html");
  const { paths } = JSON.parse(readFileSync(join(folder, "site.json"), "utf8")) as { paths: string[] };
  return siteOf(files, document, paths.map(patternOf));
}

function siteOf(files: ReadonlyMap<string, ServedFile>, document?: ServedFile, patterns: readonly RegExp[] = []): Site {
  return {
    find: (path) =>
      files.get(path) ?? (document !== undefined && patterns.some((pattern) => pattern.test(path)) ? document : null),
    notFound: document === undefined ? null : { ...document, status: 404, vary: "Accept, Accept-Encoding" },
  };
}

/** Expands a route such as `/hosts/:id` to exactly the paths it stands for, in our notation. */
function patternOf(path: string): RegExp {
  return new RegExp(`^${path.replaceAll(":id", "[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")}$`);
}

function readFile(folder: string, name: string, headers: HeaderList): ServedFile {
  const cacheControl = `/${name}`.startsWith(HASHED) ? FOR_EVER : ASK_AGAIN;
  const file = servedFile(readFileSync(join(folder, name)), {
    contentType: typeOf(extname(name)),
    cacheControl,
    headers,
  });
  for (const [encoding, suffix] of [
    ["gzip", ".gz"],
    ["br", ".br"],
  ] as const) {
    const path = join(folder, name + suffix);
    if (existsSync(path)) file.contents.set(encoding, readFileSync(path));
  }
  return file;
}

function typeOf(extension: string): string {
  return TYPES[extension] ?? "application/octet-stream";
}

function namesIn(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)));
}
