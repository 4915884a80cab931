/** Completion of `nts` in the shells themselves. Those that the machine lacks are skipped, and named. */
import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { mkdtempSync, rmSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { execa } from "execa";
import { aKey, anAccount } from "../support/api.js";
import { installCli } from "../support/installed-cli.js";
import { sharedStack } from "../support/shared-stack.js";
import { succeeds } from "../support/python-tools.js";
import { aNetworkWithAHost } from "../support/world.js";

let folder: string;
let env: Record<string, string>;

beforeAll(async () => {
  const stack = await sharedStack();
  const account = await anAccount(stack.url);
  await aNetworkWithAHost(account.session);
  await account.session.data("post", "/api/v1/networks", { name: "Guest Wi-Fi" });
  folder = mkdtempSync(join(process.env["NTS_TEST_DIR"] ?? "/tmp", "completion-"));
  const program = await installCli(folder);
  env = {
    ...{ PATH: [dirname(program), process.env["PATH"]].join(delimiter), HOME: folder, TERM: "dumb", LC_ALL: "C.UTF-8" },
    ...{ NTS_URL: stack.url, NTS_API_KEY: (await aKey(stack.url, account)).secret },
  };
});
afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

/** What each shell makes of a line at whose end somebody presses Tab. */
const SHELLS: Readonly<Record<string, (line: string) => string>> = {
  bash: (line) =>
    `source <(nts completion bash); COMP_LINE='${line}'; read -ra COMP_WORDS <<< "$COMP_LINE"; ` +
    `[[ $COMP_LINE == *' ' ]] && COMP_WORDS+=(''); COMP_CWORD=$((\${#COMP_WORDS[@]} - 1)); _nts; printf '%s\\n' "\${COMPREPLY[@]}"`,
  // Its line editor in a terminal of its own, which shows the completed line.
  zsh: (
    line,
  ) => `zmodload zsh/zpty; zpty z zsh -f -i; zpty -w z 'PS1=; unsetopt zle_bracketed_paste; autoload -Uz compinit; compinit -u -D; source <(nts completion zsh); print rea''dy'
      zpty -r z seen '*ready*'; zpty -w -n z '${line}'$'\\t'; sleep 2; zpty -w z $'\\x01print -r -- "<'$'\\x05>"'; zpty -r z seen '*<nts*>*'; print -r -- "\${seen##*<}"`,
  fish: (line) => `nts completion fish | source; complete -C '${line}'`,
};

/** A line, and what it is completed to. */
const LINES = [
  ["nts ge", "get"],
  ["nts get netw", "networks"],
  ["nts get host sw", "switch"],
  ["nts get hosts --order-d", "--order-direction"],
  ["nts get hosts -o js", "json"],
  ["nts get hosts -n Gue", "Guest"],
  ["nts impact sw", "switch"],
  ["nts create host --set hostn", "hostname="],
] as const;

const present = new Set<string>();
for (const shell of Object.keys(SHELLS)) if (await succeeds(shell, ["--version"])) present.add(shell);

describe.each(Object.entries(SHELLS))("completion in %s", (shell, scriptOf) => {
  const run = present.has(shell) ? it : it.skip;
  run.each(LINES)(`completes "%s" to %s`, async (line, completed) => {
    const { stdout } = await execa(shell, shell === "fish" ? ["-c", scriptOf(line)] : ["-c", scriptOf(line)], {
      ...{ env, extendEnv: false, cwd: folder, timeout: 30_000 },
    });
    expect(stdout).toContain(completed);
  });
});

if (present.size < Object.keys(SHELLS).length)
  console.warn(
    `SKIPPED: ${Object.keys(SHELLS)
      .filter((shell) => !present.has(shell))
      .join(", ")}: not on this machine`,
  );
