import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'yaml'
import { root } from '../../pkg-scripts/tree.ts'

interface Step {
  readonly uses?: string
  readonly run?: string
  readonly env?: Readonly<Record<string, string>>
  readonly with?: Readonly<Record<string, unknown>>
}

export interface Job {
  readonly needs?: string | readonly string[]
  readonly permissions?: Readonly<Record<string, string>>
  readonly environment?: string
  readonly steps?: readonly Step[]
}

export interface Workflow {
  readonly path: string
  readonly text: string
  readonly content: {
    readonly permissions?: Readonly<Record<string, string>>
    readonly jobs: Readonly<Record<string, Job>>
  }
}

/** Every workflow of the project. */
export const workflows: readonly Workflow[] = globSync('.github/workflows/*.{yml,yaml}', { cwd: root })
  .sort()
  .map((path) => {
    const text = readFileSync(join(root, path), 'utf8')
    return { path, text, content: parse(text) }
  })
