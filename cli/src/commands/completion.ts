import { Argument, type Command, type Option } from "commander";
import type { AddCommands } from "./command.js";

// The scripts ask the program for completions, so they never go stale.

const SCRIPTS = {
  bash: `_nts() { mapfile -t COMPREPLY < <(nts complete -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null); }
complete -o default -F _nts nts`,
  zsh: `#compdef nts
_nts() {
  local -a found
  found=(\${(f)"$(nts complete -- "\${(@)words[2,CURRENT]}" 2>/dev/null)"})
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

export const addCompletion: AddCommands = (program, { terminal }) => {
  program
    .command("completion")
    .addArgument(new Argument("<shell>").choices(Object.keys(SCRIPTS)))
    .description("print the completion script for a shell: source <(nts completion bash)")
    .action((shell: keyof typeof SCRIPTS) => terminal.print(SCRIPTS[shell]));
  program
    .command("complete", { hidden: true })
    .argument("[words...]")
    .action((words: string[]) => {
      for (const candidate of candidates(program, words)) terminal.print(candidate);
    });
};

/** The candidates for the last word. */
export function candidates(program: Command, words: readonly string[]): string[] {
  const last = words.at(-1) ?? "";
  let command = program;
  for (const word of words.slice(0, -1))
    command = command.commands.find((one) => one.name() === word || one.aliases().includes(word)) ?? command;
  const previous = command.options.find(({ long, short }) => [long, short].includes(words.at(-2)));
  const names = last.startsWith("-")
    ? command.options.map(({ long }) => long ?? "")
    : (choicesOf(previous) ?? [
        ...command.commands.map((one) => one.name()).filter((name) => name !== "complete"),
        ...(command.registeredArguments[0]?.argChoices ?? []),
      ]);
  return names.filter((name) => name.startsWith(last));
}

function choicesOf(option: Option | undefined): readonly string[] | undefined {
  return option?.argChoices;
}
