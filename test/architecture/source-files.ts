import { globSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { transformSync } from 'esbuild'
import { root } from '../../pkg-scripts/tree.ts'

interface Import {
  readonly specifier: string
  readonly kind: 'value' | 'type'
}

/** A file of ours, with what it imports. */
export interface SourceFile {
  readonly path: string
  readonly text: string
  /** The program without types and comments. */
  readonly code: string
  readonly imports: readonly Import[]
}

/** The sources that are published. */
export const product = read('{src,helpers}/**/*.{ts,tsx}')

/** The scripts that build, measure and show the published sources. */
export const scripts = read('pkg-scripts/**/*.ts')

export const tests = read('test/**/*.ts')

/** The files at the root that tools read. */
export const settings = read('*.ts')

function read(pattern: string): SourceFile[] {
  const paths = globSync(pattern, { cwd: root }).map((path) => path.replaceAll('\\', '/'))
  return paths.sort().map((path) => parse(path, readFileSync(join(root, path), 'utf8')))
}

/** Parses a file as the rules see it. */
export function parse(path: string, text: string): SourceFile {
  let code: string | undefined
  let imports: readonly Import[] | undefined
  // Both on use, because most rules do not look at them.
  return {
    path,
    text,
    get code() {
      code ??= transformSync(text, { loader: toLoader(path), jsx: 'automatic' }).code
      return code
    },
    get imports() {
      imports ??= importsIn(text)
      return imports
    },
  }
}

/** A page for a browser has elements among its code. */
function toLoader(path: string): 'ts' | 'tsx' {
  return path.endsWith('.tsx') ? 'tsx' : 'ts'
}

/** Finds imports by pattern, because types are gone after every transformation; an import begins its line. */
function importsIn(text: string): Import[] {
  const declarations = /^(?:import|export)\s(?<what>[^'"`;=()]*?)\s?from\s['"](?<from>[^'"]+)['"]/gm
  const effects = /^import\s['"](?<from>[^'"]+)['"]/gm
  const calls = /\bimport\(\s*['"](?<from>[^'"]+)['"]\s*\)/g
  const declared = [...text.matchAll(declarations), ...text.matchAll(effects)].map(({ index, groups }) => ({
    index,
    from: groups!.from!,
    what: groups!.what,
  }))
  const called = [...text.matchAll(calls)]
    .map(({ index, groups }) => ({
      index,
      from: groups!.from!,
      before: text.slice(text.lastIndexOf('\n', index) + 1, index),
    }))
    .filter(({ before }) => !before.includes('//'))
  return [...declared, ...called]
    .sort((a, b) => a.index - b.index)
    .map((found) => ({ specifier: found.from, kind: isOfTypes(found) ? 'type' : 'value' }))
}

/** Takes what stands between `import` and `from`, or what stands in its line before a call of `import`. */
function isOfTypes({ what, before }: { readonly what?: string | undefined; readonly before?: string }): boolean {
  if (before !== undefined) return /^\s*(export )?type\s/.test(before) || /[:<|&]\s*(typeof )?$/.test(before)
  if (what === undefined) return false
  const names = /^\{(.*)\}$/s
    .exec(what.trim())?.[1]
    ?.split(',')
    .filter((name) => name.trim() !== '')
  return what.startsWith('type ') || (names?.every((name) => /^\s*type\s/.test(name)) ?? false)
}

/** Returns the files of ours that a file imports. */
export function targetsOf({ path, imports }: SourceFile) {
  return imports
    .filter(({ specifier }) => specifier.startsWith('.'))
    .map(({ specifier, kind }) => ({ target: resolve(path, specifier), kind }))
}

function resolve(path: string, specifier: string): string {
  return relative(root, join(root, dirname(path), specifier)).replaceAll('\\', '/')
}

/** Returns whether a file imports something whose name fits. */
export function imports({ imports }: SourceFile, pattern: RegExp): boolean {
  return imports.some(({ specifier }) => pattern.test(specifier))
}

/** Returns whether the program itself fits; the text is looked at first, because it costs nothing. */
export function matches(file: SourceFile, pattern: RegExp): boolean {
  return pattern.test(file.text) && pattern.test(file.code)
}

/** Returns whether the program reads a global; the bundler knows what is in scope. */
export function uses({ path, text }: SourceFile, global: 'process' | 'console'): boolean {
  if (!text.includes(global)) return false
  const define = { [global]: 'seen_by_this_test', [`globalThis.${global}`]: 'seen_by_this_test' }
  return transformSync(text, { loader: toLoader(path), jsx: 'automatic', define }).code.includes('seen_by_this_test')
}
