import { existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { HelperError } from '../../../src/runtime/failure.ts'

/** Build tools, each with the Debian package that installs it. */
export type Tools = Readonly<Record<string, string>>

/**
 * Throws where a program is not there, before anything is made.
 * @param maker What the programs make, in words, and what to do without them.
 * @param path The folders of programs, as in `PATH`.
 */
export function requireTools(tools: Tools, maker: { makes: string; otherwise: string }, path: string): void {
  const missing = Object.keys(tools).filter((tool) => findTool(tool, path) === undefined)
  if (missing.length === 0) return
  const packages = [...new Set(missing.map((tool) => tools[tool]))].join(' ')
  throw new HelperError(
    'not-configured',
    `${missing.join(', ')}, which ${missing.length === 1 ? 'makes' : 'make'} ${maker.makes}, ${missing.length === 1 ? 'is' : 'are'} not installed`,
    `run: sudo apt-get install ${packages}${maker.otherwise}`,
  )
}

/** Returns the path of a program, in the first of the folders that has it. */
export function findTool(tool: string, path: string): string | undefined {
  return path
    .split(delimiter)
    .map((folder) => join(folder, tool))
    .find((file) => existsSync(file))
}
