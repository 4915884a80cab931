import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, extname, join } from "node:path";
import { SECURITY_HEADERS } from "../edge/response-headers.js";
import { inEdition30 } from "@nts/shared/openapi/edition-3-0";
import { HeaderList } from "../edge/header-list.js";
import { compress, servedFile, type ServedFile } from "./served-file.js";
import { SECURITY_TXT } from "./security-txt.js";

// The API documentation, as a document and as a page. The page loads nothing from elsewhere, and its policy allows no
// scripts but the served files.

const { resolve } = createRequire(import.meta.url);

const ASSETS = ["swagger-ui.css", "swagger-ui-bundle.js", "favicon-32x32.png"];
const DOCUMENT = "/openapi.json";
const DOCUMENT_3_0 = `${DOCUMENT}?openapi=3.0`;
const EDITION_3_0 = /^3\.0(?:\.\d)?$/;
const EDITION_3_1 = /^3\.1(?:\.\d)?$/;
const PAGE = "/api/docs";
const DAY_SECONDS = 86_400;

const TYPES: Readonly<Record<string, string>> = {
  ".css": "text/css; charset=utf-8",
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".json": "application/json; charset=utf-8",
  ".png": "image/png",
};

const HEADERS = HeaderList.of({
  ...SECURITY_HEADERS,
  "Content-Security-Policy":
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; " +
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  "Cross-Origin-Opener-Policy": "same-origin",
});

const HTML = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <title>Network topology service: API</title>
    <link rel="icon" href="${PAGE}/favicon-32x32.png" />
    <link rel="stylesheet" href="${PAGE}/swagger-ui.css" />
  </head>
  <body>
    <div id="swagger-ui"></div>
    <script src="${PAGE}/swagger-ui-bundle.js"></script>
    <script src="${PAGE}/initializer.js"></script>
  </body>
</html>
`;

const INITIALIZER = `SwaggerUIBundle({
  url: "${DOCUMENT}",
  dom_id: "#swagger-ui",
  deepLinking: true,
  docExpansion: "none",
  defaultModelsExpandDepth: 0,
});
`;

/** Everything served as it is. */
export interface Pages {
  /** The page at a path, for GET and HEAD; null if there is none. The document has an edition for `openapi=3.0`. */
  find(path: string, query: string): ServedFile | null;
}

/** The pages. Each is compressed on first use, to not delay startup. */
export function createPages(securityTxt: () => ServedFile | null): Pages {
  const assets = dirname(resolve("swagger-ui-dist/package.json"));
  const document = readFileSync(resolve("@nts/shared/openapi.json"));
  const files = new Map([
    [DOCUMENT, fileOf(".json", document)],
    [PAGE, fileOf(".html", HTML)],
    [`${PAGE}/initializer.js`, fileOf(".js", INITIALIZER)],
  ]);
  for (const name of ASSETS)
    files.set(`${PAGE}/${name}`, fileOf(extname(name), readFileSync(join(assets, name)), DAY_SECONDS));
  /** The path of an edition of the document, which is made when it is first wanted. */
  const fileOfEdition = (edition: string): string => {
    if (EDITION_3_0.test(edition) && !files.has(DOCUMENT_3_0))
      files.set(DOCUMENT_3_0, fileOf(".json", JSON.stringify(inEdition30(JSON.parse(document.toString()) as object))));
    return EDITION_3_0.test(edition) ? DOCUMENT_3_0 : EDITION_3_1.test(edition) ? DOCUMENT : "";
  };
  const compressed = new WeakSet<ServedFile>();
  return {
    find: (path, query) => {
      const edition = path === DOCUMENT ? new URLSearchParams(query).get("openapi") : null;
      const file =
        path === SECURITY_TXT ? securityTxt() : (files.get(edition === null ? path : fileOfEdition(edition)) ?? null);
      if (file !== null && !compressed.has(file)) {
        compressed.add(file);
        void compress(file);
      }
      return file;
    },
  };
}

function fileOf(extension: string, content: string | Buffer, maxAgeSeconds = 0): ServedFile {
  return servedFile(Buffer.from(content), {
    contentType: TYPES[extension] ?? "application/octet-stream",
    cacheControl: `public, max-age=${maxAgeSeconds}`,
    headers: HEADERS,
  });
}
