/** `npm run docs`: writes the generated pages. */
import { writeFileSync } from "node:fs";
import { PAGES } from "./pages.js";

for (const [path, page] of Object.entries(PAGES)) writeFileSync(new URL(`../../../${path}`, import.meta.url), page());
