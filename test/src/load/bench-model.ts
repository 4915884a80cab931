/**
 * `npm run bench -- model`: cores, memory, disk and replicas that a system needs, and what is exhausted first, computed from what
 * `npm run bench -- scale --save` measured. `--services 10000000 --organizations 10000 --per-second 5000 --journal-days 90`.
 */
import { parseArgs } from "node:util";
import { readCosts } from "./scale-costs.js";
import { printModel } from "./scale-print.js";
import { PLAN } from "./scale-model.rules.js";

const { values } = parseArgs({
  allowPositionals: true,
  options: {
    organizations: { type: "string", default: String(PLAN.organizations) },
    services: { type: "string", default: String(PLAN.services) },
    "per-second": { type: "string", default: String(PLAN.perSecond) },
    "journal-days": { type: "string", default: String(PLAN.journalDays) },
  },
});

printModel(await readCosts(), {
  organizations: Number(values.organizations),
  services: Number(values.services),
  perSecond: Number(values["per-second"]),
  journalDays: Number(values["journal-days"]),
});
