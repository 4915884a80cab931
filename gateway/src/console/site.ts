import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { extname, join, relative, sep } from "node:path";
import { type Encoding } from "./encoding.js";

// The files of the console as the build wrote them, read once when the gateway starts. A build that is not there is no
// fault: the gateway then says so at `/`, and serves the API all the same.

/** A file in each form in which it is sent. */
export interface SiteFile {
  readonly contents: ReadonlyMap<Encoding, Buffer>;
  /** Of all forms: a cache that knows one by it may use it for the same request only, as `Vary` tells. */
  readonly etag: string;
  readonly contentType: string;
  readonly cacheControl: string;
  /** The headers of a request that choose what is answered. */
  readonly vary: string;
  readonly status: 200 | 404;
}

export interface Site {
  /** The file that answers a path; null where the console has none. Paths are taken as they were sent. */
  find(path: string): SiteFile | null;
  /** What tells a reader that there is no such path; null where the console was not built. */
  readonly notFound: SiteFile | null;
}

const TYPES: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".svg": "image/svg+xml",
  ".png": "image/png",
  ".woff2": "font/woff2",
};

/** The build writes a hash of the content into the names of these. */
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

/** Reads the build in a folder. */
export function readSite(folder: string): Site {
  if (!existsSync(join(folder, "site.json")))
    return siteOf(new Map([["/", fileOf(".html", Buffer.from(ABSENT), 404)]]));
  const files = new Map(
    namesIn(folder)
      .filter((name) => extname(name) in TYPES)
      .map((name) => [`/${name.split(sep).join("/")}`, readFile(folder, name)]),
  );
  const document = files.get("/index.html");
  files.delete("/index.html");
  const { paths } = JSON.parse(readFileSync(join(folder, "site.json"), "utf8")) as { paths: string[] };
  return siteOf(files, document, paths.map(patternOf));
}

function siteOf(files: ReadonlyMap<string, SiteFile>, document?: SiteFile, patterns: readonly RegExp[] = []): Site {
  return {
    find: (path) =>
      files.get(path) ?? (document !== undefined && patterns.some((pattern) => pattern.test(path)) ? document : null),
    notFound: document === undefined ? null : { ...document, status: 404, vary: "Accept, Accept-Encoding" },
  };
}

/** `/hosts/:id` as the paths that it stands for: exactly those, in the one way in which we write them. */
function patternOf(path: string): RegExp {
  return new RegExp(`^${path.replaceAll(":id", "[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")}$`);
}

function readFile(folder: string, name: string): SiteFile {
  const read = (suffix: string): Buffer | null => {
    const path = join(folder, name + suffix);
    return existsSync(path) ? readFileSync(path) : null;
  };
  const [gzip, br] = [read(".gz"), read(".br")];
  const file = fileOf(extname(name), readFileSync(join(folder, name)), 200, `/${name}`.startsWith(HASHED));
  const contents = new Map<Encoding, Buffer>(file.contents);
  if (gzip !== null) contents.set("gzip", gzip);
  if (br !== null) contents.set("br", br);
  return { ...file, contents };
}

function fileOf(extension: string, content: Buffer, status: 200 | 404, hashed = false): SiteFile {
  return {
    contents: new Map([["identity", content]]),
    etag: `"${createHash("sha256").update(content).digest("base64url").slice(0, 22)}"`,
    contentType: TYPES[extension] ?? "application/octet-stream",
    cacheControl: hashed ? FOR_EVER : ASK_AGAIN,
    vary: "Accept-Encoding",
    status,
  };
}

function namesIn(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)));
}
