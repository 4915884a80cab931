import { writeFileSync } from "node:fs";
import { openApiText } from "./openapi/openapi.js";
import { SERVER_VERSION } from "./version.js";

// `npm run openapi`: generates the committed document from the contract.
writeFileSync(new URL("../openapi.json", import.meta.url), openApiText(SERVER_VERSION));
