// Folder: `npm pack`: the command and the library as one package.

import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { bundle, writeProgram } from '../bundle/bundle.ts'
import { createCliProgram } from '../bundle/programs.ts'
import { renderFile } from '../bundle/render-file.ts'
import { listComponents, renderNotices } from '../release/components.ts'
import { root } from '../tree.ts'
import { bundleLibrary } from './bundle-library.ts'
import { writeDeclarations } from './declarations.ts'

// Builds the content of the package. npm runs this script before it packs.
await buildPackage(join(root, 'dist', 'package'))

/**
 * Builds the command, the library with its types, and the notices of the bundled packages, so that nothing else must be installed. They
 * replace the directory after all of them are built.
 */
async function buildPackage(directory: string): Promise<void> {
  const draft = `${directory}.${process.pid}.tmp`
  mkdirSync(draft, { recursive: true })
  try {
    const command = await bundle(createCliProgram())
    writeProgram(join(draft, 'gatepass.cjs'), await renderFile(command.packed, false))
    const library = await bundleLibrary(draft)
    writeDeclarations(join(draft, 'types'))
    writeFileSync(join(draft, 'THIRD-PARTY-NOTICES.txt'), renderNotices(listComponents([command, library])))
    rmSync(directory, { recursive: true, force: true })
    renameSync(draft, directory)
  } finally {
    rmSync(draft, { recursive: true, force: true })
  }
}
