import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { ROOT } from "@nts/local/processes/system";
import { clientFiles } from "./client.js";

// A part of `npm run openapi`: writes the committed files that `@nts/client` has of the contract.
for (const [path, text] of Object.entries(await clientFiles())) writeFileSync(join(ROOT, path), text);
