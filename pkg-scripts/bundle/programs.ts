import { suiteName } from '../../src/suite/installed-programs.ts'
import { programName } from '../../src/version.ts'
import { listHelpers } from '../tree.ts'

/** A program that is built into one file: its name, and the module that exports `start`. */
export interface BundledProgram {
  readonly name: string
  /** One line, as package managers and Windows show it. */
  readonly summary: string
  readonly entry: string
  /** Whether a person waits for it at every turn, so that ahead-of-time compilation is worth its size. */
  readonly isWaitedFor: boolean
}

/** Runs before the loader loads the rest, as a separate piece. */
const beginLine = "export const begin = () => import('./src/helper/memo/answer-from-memo.ts')"

/** Runs first if a vendor file may determine the names, also as a separate piece. */
const namesLine = "export const names = () => import('./src/helper/memo/before-names.ts')"

/** Bundles one helper alone. */
export function createHelperProgram(name: string): BundledProgram {
  const lines = [
    `import helper from './helpers/${name}.ts'`,
    "import { main } from './src/helper/run/run-helper.ts'",
    `export const start = (beginning) => main('${name}', helper, { beginning })`,
    beginLine,
    namesLine,
  ]
  return { name, summary: `credential helper ${name}`, entry: lines.join('\n'), isWaitedFor: true }
}

/** Bundles the command, which knows every helper. */
export function createCliProgram(root?: string): BundledProgram {
  const lines = [...renderStart('./src/cli/run-cli.ts', listHelpers(root)), namesLine]
  const summary = 'tools for a rollout of credential helpers'
  return { name: programName, summary, entry: lines.join('\n'), isWaitedFor: false }
}

/** Renders the lines of a program that starts the `main` of a module with these helpers. */
export function renderStart(module: string, helpers: readonly string[]): string[] {
  const entries = helpers.map((name, index) => `['${name}', helper${index}]`)
  return [
    ...helpers.map((name, index) => `import helper${index} from './helpers/${name}.ts'`),
    `import { main } from '${module}'`,
    `export const start = () => main(new Map([${entries.join(', ')}]))`,
  ]
}

/** Bundles every helper in one program, which loads the one that is called. */
export function createSuiteProgram(root?: string): BundledProgram {
  const load = (name: string) => `async () => (await import('./helpers/${name}.ts')).default`
  const entries = listHelpers(root).map((name) => `['${name}', ${load(name)}]`)
  const lines = [
    "import { main } from './src/suite/main.ts'",
    `export const start = (beginning) => main(new Map([${entries.join(', ')}]), beginning)`,
    beginLine,
    namesLine,
  ]
  const summary = 'credential helpers for desktop AI clients'
  return { name: suiteName, summary, entry: lines.join('\n'), isWaitedFor: true }
}
