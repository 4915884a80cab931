import { Argument, type Command, type Option } from "commander";
import { OPERATIONS } from "@nts/shared/contract";
import { formOf, namesIn } from "../bodies.js";
import type { Connection } from "../connection.js";
import { entitiesOf, idOf, searchFor } from "../find.js";
import { handleOf } from "../output.js";
import { type Resource, resourceNamed, RESOURCES } from "../resources.js";
import { readStored } from "../settings.js";
import type { Surroundings, Terminal } from "../terminal.js";
import { type AddCommands, connectFor } from "./command.js";

// The scripts ask the program for completions, so they never go stale: commands and choices, and names from the server.

const SCRIPTS = {
  bash: `_nts() {
  local -a found words=("\${COMP_WORDS[@]:1:COMP_CWORD}")
  local quoted=\${words[-1]:0:1}
  # Words are as somebody has typed them, with backslashes and quotes.
  words=("\${words[@]//\\\\/}")
  words=("\${words[@]//\\"/}")
  words=("\${words[@]//\\'/}")
  mapfile -t found < <(nts complete -- "\${words[@]}" 2>/dev/null)
  COMPREPLY=("\${found[@]}")
  [[ \${#found[@]} -gt 0 && $quoted != [\\"\\'] ]] && mapfile -t COMPREPLY < <(printf '%q\\n' "\${found[@]}")
  # A value follows at once.
  [[ \${#found[@]} -gt 0 && -z "\${found[*]##*=}" ]] && compopt -o nospace 2>/dev/null
  return 0
}
complete -o default -F _nts nts`,
  zsh: `#compdef nts
_nts() {
  local -a found open whole
  found=(\${(f)"$(nts complete -- "\${(@Q)words[2,CURRENT-1]}" "\${(Q)PREFIX}" 2>/dev/null)"})
  open=(\${(M)found:#*=}) whole=(\${found:#*=})
  (( $#open )) && compadd -S '' -a open
  (( $#whole )) && compadd -a whole
  (( $#found )) || _files
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

/** Where the last word of a line stands. */
interface Position {
  readonly last: string;
  readonly command: Command;
  /** The option whose value it is. */
  readonly option: Option | undefined;
  /** Which argument it is, from 0. */
  readonly argument: number;
  /** The options that the command takes. */
  readonly options: readonly Option[];
}

function positionIn(program: Command, words: readonly string[]): Position {
  let command = program;
  let argument = 0;
  let option: Option | undefined;
  const optionsOf = (): readonly Option[] => [...new Set([...command.options, ...program.options])];
  for (const word of words.slice(0, -1)) {
    const isValue = option !== undefined && !word.startsWith("-");
    if (isValue && option?.variadic === false) option = undefined;
    if (isValue) continue;
    option = optionsOf().find(
      ({ long, short, required, optional }) => (required || optional) && [long, short].includes(word),
    );
    if (word.startsWith("-")) continue;
    const inner = command.commands.find((one) => one.name() === word || one.aliases().includes(word));
    command = inner ?? command;
    argument += inner === undefined ? 1 : 0;
  }
  return { last: words.at(-1) ?? "", command, option, argument, options: optionsOf() };
}

/** The candidates for the last word. */
export function candidates(program: Command, words: readonly string[]): string[] {
  const { last, command, option, argument, options } = positionIn(program, words);
  return choicesAt().filter((name) => name.startsWith(last));

  function choicesAt(): readonly string[] {
    if (last.startsWith("-")) return options.map(({ long }) => long ?? "");
    if (option?.attributeName() === "set") return membersFor(command);
    if (option !== undefined) return option.argChoices ?? [];
    if (command.name() === "api") return OPERATIONS.map(({ operationId }) => operationId);
    const inner = argument === 0 ? command.commands.map((one) => one.name()) : [];
    return [...inner.filter((name) => name !== "complete"), ...(argumentAt(command, argument)?.argChoices ?? [])];
  }
}

/** The last argument may be several. */
function argumentAt({ registeredArguments: all }: Command, n: number): Argument | undefined {
  const last = all.at(-1);
  return all[n] ?? (last?.variadic === true ? last : undefined);
}

/** What `--set` may begin with. */
function membersFor(command: Command): string[] {
  const resource = RESOURCES.find(({ name }) => name === command.name());
  const operation = command.parent?.name() === "create" ? resource?.create : resource?.patch;
  return operation === undefined ? [] : namesIn(formOf(operation, false)).map((name) => `${name}=`);
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
  const { last, command, option, argument } = positionIn(program, words);
  const isContext = option === undefined && command.parent?.name() === "context" && command.name() !== "add";
  if (option?.attributeName() === "context" || isContext)
    return Object.keys((await readStored(terminal)).contexts).filter((name) => name.startsWith(last));
  if (last.startsWith("-")) return [];
  const resources = option === undefined ? namedBy(command, argument) : namedByOption(option);
  const readable = resources.filter(({ list }) => list.credential !== "session");
  if (readable.length === 0) return [];
  const connection = await connectFor(self, surroundings);
  const found: string[] = [];
  for (const resource of readable) found.push(...(await handlesOf(connection, resource, last)));
  return [...new Set(found)];
}

/** What entities are called that begin with a text, also with their host, as in `nas/Photos`. */
async function handlesOf(connection: Connection, resource: Resource, text: string): Promise<string[]> {
  const [, host = "", rest = text] = /^([^/]+)\/(.*)$/.exec(text) ?? [];
  const isOnHost = host !== "" && "host_id" in (resource.list.query?.shape ?? {}) && resource.name !== "hosts";
  const start = isOnHost ? rest : text;
  const within = isOnHost ? { host_id: await idOf(connection, resourceNamed("hosts"), host) } : {};
  const query = { limit: MOST_NAMES, ...searchFor(resource, start), ...within };
  const found: string[] = [];
  for await (const entity of entitiesOf(connection, resource, query)) {
    const handle = handleOf(entity);
    if (handle.toLowerCase().startsWith(start.toLowerCase())) found.push(isOnHost ? `${host}/${handle}` : handle);
    if (found.length === MOST_NAMES) break;
  }
  return found;
}

/** What an argument names: in `get hosts [names...]` what the command is called, otherwise as in `<host|service>`. */
function namedBy(command: Command, n: number): Resource[] {
  if (VERBS.includes(command.parent?.name() ?? "")) return RESOURCES.filter(({ name }) => name === command.name());
  const words = argumentAt(command, n)?.name().split(/\W/) ?? [];
  return RESOURCES.filter(({ singular }) => words.includes(singular));
}

/** What an option such as `--network` names. */
function namedByOption(option: Option): Resource[] {
  const name = option.attributeName().replace(/Id$/, "");
  return RESOURCES.filter(({ singular }) => singular === name);
}
