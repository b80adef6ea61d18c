import { readFile } from 'node:fs/promises'
import type { ScenarioProblem } from '../../client/simulation/scenario/scenario.ts'
import { HelperError, toOneLine } from '../../runtime/failure.ts'
import { programName } from '../program-name.ts'

/** The text of a ready-made scenario, or of a file. @throws {HelperError} `usage` when there is neither. */
export async function readScenarioText(name: string, readyMade: Readonly<Record<string, string>>): Promise<string> {
  return (Object.hasOwn(readyMade, name) ? readyMade[name] : undefined) ?? (await readScenarioFile(name))
}

async function readScenarioFile(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8')
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException
    const message = code === 'ENOENT' ? `there is no scenario and no file ${path}` : `${path} cannot be read (${code})`
    throw new HelperError('usage', message, 'name a file, or one of: gatepass simulate --list', { cause })
  }
}

/** All problems of a scenario, a line each, and where to look. */
export function renderProblems(name: string, problems: readonly ScenarioProblem[]): string {
  const lines = problems.map(
    ({ line, message }) => `${programName}: ${toOneLine(`${name}:${line ?? 1}: ${message}`)}\n`,
  )
  return `${lines.join('')}${programName}: hint: see: gatepass simulate --list\n`
}
