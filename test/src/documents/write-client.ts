import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { ROOT } from "@nts/local/processes/system";
import { clientFiles } from "./client.js";

// A part of `npm run openapi`: writes the generated files of the clients.
for (const [path, text] of Object.entries(await clientFiles())) writeFileSync(join(ROOT, path), text);
