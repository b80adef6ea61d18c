import { readFile } from 'node:fs/promises'
import { parseScenario } from '../../client/simulation/scenario/parse-scenario.ts'
import { readyMadeScenarios } from '../../client/simulation/scenario/ready-made-scenarios.ts'
import type { Scenario } from '../../client/simulation/scenario/scenario.ts'
import { HelperError, toOneLine } from '../../runtime/failure.ts'
import { programName } from '../program-name.ts'

/** A scenario, and the name or file that it was asked for by. */
export interface NamedScenario {
  readonly name: string
  readonly scenario: Scenario
}

/** A scenario by its name or from a file, or its problems, a line each. @throws {HelperError} when there is none. */
export async function readScenario(name: string): Promise<NamedScenario | { readonly problems: string }> {
  const text = readyMadeScenarios[name] ?? (await readScenarioFile(name))
  const parsed = parseScenario(text)
  if (parsed.ok) return { name, scenario: parsed.scenario }
  const lines = parsed.problems.map(
    ({ line, message }) => `${programName}: ${toOneLine(`${name}:${line ?? 1}: ${message}`)}\n`,
  )
  return { problems: `${lines.join('')}${programName}: hint: see: gatepass simulate --list\n` }
}

/** The ready-made scenarios with what they are about, a line each. */
export function renderScenarioList(): string {
  const rows = Object.entries(readyMadeScenarios).map(([name, text]) => {
    const parsed = parseScenario(text)
    return [name, parsed.ok ? parsed.scenario.summary : ''] as const
  })
  const width = Math.max(...rows.map(([name]) => name.length)) + 2
  return rows.map(([name, summary]) => `${name.padEnd(width)}${summary}\n`).join('')
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
