import { join } from "node:path";
import type { DemoAccess } from "../demo/access.js";

/** What a newcomer needs after the start: address, logs, and three commands to continue with. */
export function banner(urls: readonly string[], dataDir: string, demo: DemoAccess | null): string {
  const [url = ""] = urls;
  const others = urls.length > 1 ? `\n  More      ${urls.slice(1).join("  ")}` : "";
  return `
  Ready     ${url}   (the console: open it in a browser)${others}
  API docs  ${url}/api/docs
  Logs      ${join(dataDir, "logs")}
${demo === null ? "" : demoLines(demo)}
Three commands to try, in another terminal:
${(demo === null ? firstCommands(url) : demoCommands(url, demo)).map((line) => `  ${line}`).join("\n")}

Ctrl-C stops everything; the data stays.`;
}

function demoLines(demo: DemoAccess): string {
  return `
  Demo      ${demo.email}   password ${demo.password}
  API key   ${demo.apiKey}
`;
}

function firstCommands(url: string): string[] {
  const body = `'{"email":"you@example.com","password":"a long password"}'`;
  return [
    `curl -c cookies.txt -H 'Content-Type: application/json' -d ${body} ${url}/api/auth/register`,
    `curl -b cookies.txt ${url}/api/auth/me`,
    "npm start -- --demo    (after Ctrl-C here: the same with a network full of hosts to look at)",
  ];
}

function demoCommands(url: string, demo: DemoAccess): string[] {
  const key = `-H 'Authorization: Bearer ${demo.apiKey}'`;
  return [
    `curl ${key} '${url}/api/v1/services?limit=3'`,
    `curl ${key} '${url}/api/v1/hosts?order_by=name&limit=1'`,
    `curl ${key} '${url}/api/v1/services?exclude_categories=OpenPorts,Unknown&group_by=host&order_by=name'`,
  ];
}
