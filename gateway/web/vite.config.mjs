// Builds the console into gateway/dist/site, next to the code that serves it. Every file is compressed here, once, so that
// the gateway does not do it for each request.
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { brotliCompressSync, constants, gzipSync } from "node:zlib";
import { convertCssVariables, defaultCssVariablesResolver, DEFAULT_THEME, mergeMantineTheme } from "@mantine/core";
import { build, defineConfig } from "vite";
import { sourceOf } from "../../deploy/local/sources.mjs";
import { PATHS } from "./src/paths.ts";
import { cssVariables, theme } from "./src/theme.ts";

const OUTPUT = "../dist/site";

/** The highest quality takes three seconds for 7 % fewer bytes, which matters to browsers elsewhere. */
const QUALITY = process.env.QUICK_COMPRESSION === "yes" ? 8 : constants.BROTLI_MAX_QUALITY;

/** Below this size, compression does not save a packet. */
const LEAST_BYTES = 1_024;

/** What the build has in common with the one that finds out what is needed at first. */
const COMMON = {
  target: "es2022",
  modulePreload: { polyfill: false },
  // One style sheet: those of pages are small, and each would be a request.
  cssCodeSplit: false,
  rolldownOptions: {
    // The console needs few of the schemas; declarations of the contract do nothing but declare.
    treeshake: {
      manualPureFunctions: ["z", "endpoint", "resource"],
      moduleSideEffects: (id) => !id.includes("/shared/src/contract/"),
    },
    // "use client" and its like mean something to servers that render; there is none here
    checks: { moduleLevelDirective: false },
  },
};

export default defineConfig(async () => ({
  build: {
    ...COMMON,
    outDir: OUTPUT,
    emptyOutDir: true,
    // A picture inside a style sheet would need a wider content security policy.
    assetsInlineLimit: 0,
    chunkSizeWarningLimit: 1_500,
    rolldownOptions: {
      ...COMMON.rolldownOptions,
      output: { codeSplitting: { groups: filesOf(await firstModules()) } },
    },
  },
  plugins: [...moduleSources(), schemeScript(), finish()],
}));

const MAP = "/gateway/web/src/map/";

/** The page that people open first, and most. */
const FIRST_PAGE = `${MAP}map-page.tsx`;

/** So many pages and windows share what is in a file for many, so that the others do not load it in vain. */
const MANY = 4;

/**
 * One file for all that every page needs, one for the map, one for what many other pages need of libraries and the contract, and
 * one for what many share. Otherwise each module that some pages share is a file of its own, and the map takes seventy requests.
 */
function filesOf(first) {
  return [
    { name: "main", test: (id) => id.startsWith("\0") || (first.has(id) && !id.includes(MAP)), priority: 3 },
    { name: "map", test: (id) => first.has(id), priority: 2 },
    { name: "library", test: /\/node_modules\/|\/shared\//, minShareCount: MANY, priority: 1 },
    { name: "parts", test: /\/gateway\/web\/src\//, minShareCount: MANY },
  ];
}

/**
 * The modules of the entry and of the first page. A build in which each page has its own files finds them, because imports do
 * not tell: the index of a library, or of the contract, imports all of it.
 */
async function firstModules() {
  const { output } = await build({
    root: import.meta.dirname,
    configFile: false,
    logLevel: "silent",
    build: { ...COMMON, write: false, minify: false },
    plugins: moduleSources(),
  });
  const files = output.filter(({ type }) => type === "chunk");
  const first = files.filter(({ isEntry, facadeModuleId }) => isEntry || facadeModuleId?.endsWith(FIRST_PAGE));
  const loaded = new Set(first);
  for (const { imports } of loaded)
    for (const file of files.filter(({ fileName }) => imports.includes(fileName))) loaded.add(file);
  return new Set([...loaded].flatMap(({ moduleIds }) => moduleIds));
}

function moduleSources() {
  return [ownSources(), withoutDescriptions(), withoutJsonSchemas(), themeStyles(), componentStyles()];
}

/** Reads the contract and the client from their sources: the console is built beside what compiles them. */
function ownSources() {
  return { name: "nts-sources", enforce: "pre", resolveId: (specifier) => sourceOf(specifier) };
}

/** What the contract says in words is for documents; the console has its own. */
function withoutDescriptions() {
  const text = /"(?:[^"\\]|\\.)*"|`(?:[^`\\]|\\.)*`/.source;
  const described = new RegExp(`\\.describe\\(\\s*(?:${text}),?\\s*\\)`, "g");
  const members = new RegExp(`\\b(?:summary|description):\\s*(?:${text}),`, "g");
  return {
    name: "nts-without-descriptions",
    transform: {
      filter: { id: /\/shared\/src\/contract\// },
      handler: (code) => ({ code: code.replace(described, "").replace(members, ""), map: null }),
    },
  };
}

/** The console makes no JSON schemas of its schemas, which all of them could. */
function withoutJsonSchemas() {
  return {
    name: "nts-without-json-schemas",
    transform: {
      filter: { id: /\/zod\/v4\/core\/(?:to-json-schema|json-schema-processors)\.js$/ },
      handler: (code) => {
        const names = [...code.matchAll(/^export (?:const|function) (\w+)/gm)].map(([, name]) => name);
        const renamed = [...code.matchAll(/^export \{ \w+ as (\w+) \}/gm)].map(([, name]) => name);
        const exported = [...names, ...renamed].map((name) => `none as ${name}`);
        return { code: `const none = () => undefined;\nexport { ${exported.join(", ")} };`, map: null };
      },
    },
  };
}

/** The theme as a style sheet, which Mantine would else write into the page while it runs. */
function themeStyles() {
  const id = "virtual:theme.css";
  return {
    name: "nts-theme",
    resolveId: (source) => (source === id ? `\0${id}` : null),
    load(resolved) {
      if (resolved !== `\0${id}`) return null;
      const whole = mergeMantineTheme(DEFAULT_THEME, theme);
      const standard = defaultCssVariablesResolver(whole);
      const own = cssVariables(whole);
      const merged = Object.fromEntries(
        ["variables", "light", "dark"].map((part) => [part, { ...standard[part], ...own[part] }]),
      );
      return convertCssVariables(merged, ":root");
    },
  };
}

/** Mantine's components in the console. The build fails if one is missing here, or is not used. */
const COMPONENTS = [
  ...["ActionIcon", "Alert", "Anchor", "Badge", "Button", "Center", "Checkbox", "CheckboxCard", "CheckboxIndicator"],
  ...["CloseButton", "Code", "ColorInput", "ColorPicker", "ColorSwatch", "Combobox", "Divider", "Drawer", "Fieldset"],
  ...["Group", "Indicator", "InlineInput", "Input", "List", "Loader", "Menu", "Modal", "ModalBase", "Notification"],
  ...["NumberInput"],
  ...["Overlay", "Pagination", "Paper", "PasswordInput", "Pill", "PillsInput", "Popover", "Progress", "Radio"],
  ...["RadioCard", "RadioIndicator", "ScrollArea", "Stack", "Stepper", "Switch", "Table", "Tabs", "Text", "Title"],
  ...["Tooltip", "UnstyledButton", "VisuallyHidden"],
];

/** The styles of these components; those of all are more than half of the console's. */
function componentStyles() {
  const id = "virtual:components.css";
  const folder = join(import.meta.dirname, "../../node_modules/@mantine/core");
  const textOf = (file) => readFileSync(join(folder, file), "utf8").trim();
  return {
    name: "nts-components",
    resolveId: (source) => (source === id ? `\0${id}` : null),
    load(resolved) {
      if (resolved !== `\0${id}`) return null;
      const whole = textOf("styles.css");
      // The theme sets every variable.
      const texts = ["baseline", "global", ...COMPONENTS].map((name) => textOf(`styles/${name}.css`));
      // The order of the whole matters, where components build on others.
      return texts.sort((a, b) => whole.indexOf(a) - whole.indexOf(b)).join("\n");
    },
    generateBundle(_options, bundle) {
      const modules = Object.values(bundle).flatMap((file) => (file.type === "chunk" ? Object.keys(file.modules) : []));
      const used = modules.flatMap((module) => /@mantine\/core\/.*\/(\w+)\.module\.mjs$/.exec(module)?.[1] ?? []);
      const wrong = [...new Set([...used, ...COMPONENTS])].filter(
        (name) => used.includes(name) !== COMPONENTS.includes(name),
      );
      if (wrong.length > 0) this.error(`COMPONENTS must list the components of the console: ${wrong.join(", ")}`);
    },
  };
}

/** Mantine sets the colour scheme when it starts; until then a page would be bright for people who have chosen the dark. */
const SCHEME = `{
const chosen = localStorage.getItem("mantine-color-scheme-value");
const isDark = chosen === "dark" || (chosen !== "light" && matchMedia("(prefers-color-scheme: dark)").matches);
document.documentElement.setAttribute("data-mantine-color-scheme", isDark ? "dark" : "light");
}`;

/** Puts that into the document as a file of its own, which the page's policy allows. */
function schemeScript() {
  return {
    name: "nts-scheme",
    buildStart() {
      this.emitFile({ type: "asset", name: "scheme.js", source: SCHEME });
    },
    transformIndexHtml: {
      order: "post",
      handler: (_html, { bundle }) => {
        const [path] = Object.entries(bundle ?? {}).find(([, { names }]) => names?.includes("scheme.js")) ?? [];
        return path === undefined ? [] : [{ tag: "script", attrs: { src: `/${path}` }, injectTo: "head" }];
      },
    },
  };
}

/** Tells the gateway which paths the console has, and compresses what was written. */
function finish() {
  return {
    name: "nts-finish",
    closeBundle() {
      const folder = join(import.meta.dirname, OUTPUT);
      writeFileSync(join(folder, "site.json"), JSON.stringify({ paths: Object.values(PATHS) }));
      for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
        if (entry.isFile() && /\.(?:js|css|html|svg)$/.test(entry.name)) compress(join(entry.parentPath, entry.name));
      }
    },
  };
}

function compress(file) {
  const content = readFileSync(file);
  if (content.length < LEAST_BYTES) return;
  const brotli = {
    [constants.BROTLI_PARAM_SIZE_HINT]: content.length,
    [constants.BROTLI_PARAM_QUALITY]: QUALITY,
  };
  writeFileSync(`${file}.gz`, gzipSync(content, { level: 9 }));
  writeFileSync(`${file}.br`, brotliCompressSync(content, { params: brotli }));
}
