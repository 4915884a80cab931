// `npm run long -- switches`: whether links are exactly the cables of switched networks of Linux bridges, lldpd and snmpd.
import { runInLaboratories } from "../laboratory-run.mjs";

await runInLaboratories(async () => {
  const { drawSwitched: run, whatIsMissing } = await import("../dist/lab/switched.js");
  return { run, whatIsMissing };
});
