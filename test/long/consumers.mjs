// `npm run long -- consumers`: external programs read the exports of the demo network. Needs prometheus, promtool,
// named-checkzone, soffice (Debian: prometheus, bind9-utils, libreoffice-calc), Gatus, Home Assistant, NetBox and Python; skips
// what is missing.
import { join } from "node:path";
import { prepare, PrepareProblem } from "../../deploy/local/prepare.mjs";
import { ROOT } from "../checks.mjs";
import { runJest } from "../jest-run.mjs";

let counts = { passed: 0, failed: 1 };
try {
  await prepare({ tests: true, report: console.log });
  const { hasPython, preparePythonTool, succeeds } = await import("../dist/support/python-tools.js");
  const programs = {};
  for (const [name, ask] of Object.entries({
    prometheus: "--version",
    promtool: "--version",
    "named-checkzone": "-v",
    soffice: "--version",
  }))
    if (await succeeds(name, [ask])) programs[name] = name;
    else console.error(`SKIPPED: ${name} is not installed.`);
  // Gatus is a Go module: `go install github.com/TwiN/gatus/v5@latest`. `pip install homeassistant` has hass, in an environment of
  // its own. Of `pip install netbox`, the Python is named; NETBOX_CONFIGURATION names its configuration, whose database has no objects.
  for (const name of ["gatus", "hass", "netbox"]) {
    const path = process.env[name.toUpperCase()];
    if (path) programs[name] = path;
    else console.error(`SKIPPED: ${name.toUpperCase()} does not name the program.`);
  }
  const requirements = join(ROOT, "test/consumers/requirements.txt");
  if (await hasPython())
    programs["ansible-inventory"] = await preparePythonTool({
      name: "ansible-inventory",
      requirements,
      report: console.log,
    });
  else console.error("SKIPPED: ansible-inventory needs python3 of 3.11 or newer.");
  counts = await runJest([], { NTS_SUITES: "consumers", CONSUMERS: JSON.stringify(programs) });
} catch (error) {
  console.error(error instanceof PrepareProblem || error.name === "StartProblem" ? error.message : error);
}
console.log(`${counts.passed} passed, ${counts.failed} failed`);
process.exitCode = counts.failed === 0 ? 0 : 1;
