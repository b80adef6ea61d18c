import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { version } from '../../../src/version.ts'
import { root } from '../../tree.ts'
import type { ArchivedFile } from '../archive.ts'

/** The pages that `--help` names, for a machine without this repository: README.md and docs/, each with the version that it describes. */
export function readPages(): ArchivedFile[] {
  const paths = globSync(['README.md', 'docs/**/*.md'], { cwd: root }).map((path) => path.replaceAll('\\', '/'))
  return paths.toSorted().map((path) => {
    const text = readFileSync(join(root, path), 'utf8')
    return { path, content: Buffer.from(addVersion(text)), mode: 0o644 }
  })
}

/** Below the title, which is the first line of every page. */
function addVersion(text: string): string {
  return text.replace('\n', `\n\nThis page describes version ${version}.\n`)
}
