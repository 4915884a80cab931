import { readFileSync } from "node:fs";
import type { IncomingMessage, ServerResponse } from "node:http";
import { createRequire } from "node:module";
import { dirname, extname, join } from "node:path";
import { openApiText } from "@nts/shared/openapi";
import { SERVER_VERSION } from "@nts/shared/version";
import express from "express";
import helmet from "helmet";

// The API's description, as a document and as a page to browse. The page loads nothing from elsewhere, and runs under a
// policy that allows no script but those that lie here as files.

const ASSETS = ["swagger-ui.css", "swagger-ui-bundle.js", "favicon-32x32.png"];
const DOCUMENT = "/openapi.json";
const PAGE = "/api/docs";
const DAY_SECONDS = 86_400;

interface File {
  readonly path: string;
  /** Extension that stands for the content type, where the path has none. */
  readonly type?: string;
  readonly content: string | Buffer;
  readonly maxAgeSeconds: number;
}

const POLICY = {
  useDefaults: false,
  directives: {
    defaultSrc: ["'none'"],
    scriptSrc: ["'self'"],
    styleSrc: ["'self'"],
    imgSrc: ["'self'", "data:"],
    connectSrc: ["'self'"],
    baseUri: ["'none'"],
    formAction: ["'none'"],
    frameAncestors: ["'none'"],
  },
};

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

/** Everything that is served as it is. */
export interface Pages {
  /** True for the path of a page; it can be read only. */
  has(path: string): boolean;
  /** Answers a GET or HEAD of a page. */
  serve(request: IncomingMessage, response: ServerResponse): void;
}

/** The pages, made once. */
export function createPages(): Pages {
  const assets = dirname(createRequire(import.meta.url).resolve("swagger-ui-dist/package.json"));
  const files: readonly File[] = [
    { path: DOCUMENT, content: openApiText(SERVER_VERSION), maxAgeSeconds: 0 },
    { path: PAGE, type: "html", content: HTML, maxAgeSeconds: 0 },
    { path: `${PAGE}/initializer.js`, content: INITIALIZER, maxAgeSeconds: 0 },
    ...ASSETS.map((name) => ({
      path: `${PAGE}/${name}`,
      content: readFileSync(join(assets, name)),
      maxAgeSeconds: DAY_SECONDS,
    })),
  ];
  const app = express().disable("x-powered-by").enable("case sensitive routing").enable("strict routing");
  app.use(helmet({ contentSecurityPolicy: POLICY, strictTransportSecurity: false }));
  for (const { path, type = extname(path), content, maxAgeSeconds } of files)
    app.get(path, (_request, response) => {
      response.type(type).set("Cache-Control", `public, max-age=${maxAgeSeconds}`).send(content);
    });
  const paths = new Set(files.map(({ path }) => path));
  return {
    has: (path) => paths.has(path),
    serve: (request, response) => {
      app(request, response);
    },
  };
}
