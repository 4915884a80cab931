import { Argument, type Command, type Option } from "commander";
import { entitiesOf, searchFor } from "../find.js";
import { nameOf } from "../output.js";
import { RESOURCES } from "../resources.js";
import { readStored } from "../settings.js";
import type { Surroundings, Terminal } from "../terminal.js";
import { type AddCommands, connectFor } from "./command.js";

// The scripts ask the program for completions, so they never go stale: commands and choices, and names from the server.

const SCRIPTS = {
  bash: `_nts() {
  local -a found
  mapfile -t found < <(nts complete -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
  COMPREPLY=()
  if ((\${#found[@]})); then mapfile -t COMPREPLY < <(printf '%q\\n' "\${found[@]}"); fi
}
complete -o default -F _nts nts`,
  zsh: `#compdef nts
_nts() {
  local -a found
  found=(\${(f)"$(nts complete -- "\${(@Q)words[2,CURRENT]}" 2>/dev/null)"})
  if (( $#found )); then compadd -a found; else _files; fi
}
compdef _nts nts`,
  fish: `function __nts_complete
  set -l found (nts complete -- (commandline -opc)[2..] (commandline -ct) 2>/dev/null)
  if test (count $found) -gt 0
    printf '%s\\n' $found
  else
    __fish_complete_path (commandline -ct)
  end
end
complete -c nts -f -a '(__nts_complete)'`,
} as const;

export const addCompletion: AddCommands = (program, surroundings) => {
  const { terminal } = surroundings;
  program
    .command("completion")
    .addArgument(new Argument("<shell>").choices(Object.keys(SCRIPTS)))
    .description("print the completion script for a shell: source <(nts completion bash)")
    .action((shell: keyof typeof SCRIPTS) => terminal.print(SCRIPTS[shell]));
  program
    .command("complete", { hidden: true })
    .argument("[words...]")
    .action(async (words: string[], _options: unknown, self: Command) => {
      const fixed = candidates(program, words);
      const all =
        fixed.length > 0 ? fixed : await names(program, words, { terminal, self, surroundings }).catch(() => []);
      for (const candidate of all) terminal.print(candidate);
    });
};

/** The command that the words before the last one name. */
function commandIn(program: Command, words: readonly string[]): Command {
  let command = program;
  for (const word of words.slice(0, -1))
    command = command.commands.find((one) => one.name() === word || one.aliases().includes(word)) ?? command;
  return command;
}

/** The option whose value the last word is. */
function optionOf(program: Command, words: readonly string[]): Option | undefined {
  const before = words.at(-2);
  return [commandIn(program, words), program]
    .flatMap(({ options }) => options)
    .find(({ long, short, required, optional }) => (required || optional) && [long, short].includes(before));
}

/** The candidates for the last word. */
export function candidates(program: Command, words: readonly string[]): string[] {
  const last = words.at(-1) ?? "";
  const command = commandIn(program, words);
  const previous = optionOf(program, words);
  const names = last.startsWith("-")
    ? command.options.map(({ long }) => long ?? "")
    : (choicesOf(previous) ?? [
        ...command.commands.map((one) => one.name()).filter((name) => name !== "complete"),
        ...(command.registeredArguments[0]?.argChoices ?? []),
      ]);
  return names.filter((name) => name.startsWith(last));
}

interface Asking {
  readonly terminal: Terminal;
  readonly self: Command;
  readonly surroundings: Surroundings;
}

/** Verbs of entities that exist. */
const VERBS = ["get", "edit", "delete"];
const MOST_NAMES = 100;

/** Names of entities and contexts that begin with the last word. */
async function names(
  program: Command,
  words: readonly string[],
  { terminal, self, surroundings }: Asking,
): Promise<string[]> {
  const last = words.at(-1) ?? "";
  const [verb = "", what = ""] = words.filter((word) => !word.startsWith("-"));
  const previous = optionOf(program, words)?.attributeName() ?? "";
  if (previous === "context" || (verb === "context" && ["use", "remove"].includes(what)))
    return Object.keys((await readStored(terminal)).contexts).filter((name) => name.startsWith(last));
  const wanted = ["network", "host"].includes(previous) ? `${previous}s` : VERBS.includes(verb) ? what : "";
  const resource = RESOURCES.find(({ name, singular }) => name === wanted || singular === wanted);
  if (resource === undefined || resource.list.credential === "session" || last.startsWith("-")) return [];
  const found: string[] = [];
  const query = { limit: MOST_NAMES, ...searchFor(resource, last) };
  for await (const entity of entitiesOf(await connectFor(self, surroundings), resource, query)) {
    const name = nameOf(entity);
    if (name.toLowerCase().startsWith(last.toLowerCase())) found.push(name);
    if (found.length === MOST_NAMES) break;
  }
  return found;
}

function choicesOf(option: Option | undefined): readonly string[] | undefined {
  return option?.argChoices;
}
