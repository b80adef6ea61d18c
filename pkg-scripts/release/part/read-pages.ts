import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { derivations, type Vendor } from '../../../src/vendor/setting.ts'
import { vendorSetting } from '../../../src/vendor.ts'
import { version } from '../../../src/version.ts'
import { root } from '../../tree.ts'
import type { ArchivedFile } from '../render-archive.ts'

/**
 * Reads the pages that `--help` names and SECURITY.md, for a machine without this repository, each with the version that it describes. The
 * publisher of the build replaces the one that the pages name.
 */
export function readPages(vendor: Vendor): ArchivedFile[] {
  const paths = globSync(['README.md', 'SECURITY.md', 'docs/**/*.md'], { cwd: root }).map((path) =>
    path.replaceAll('\\', '/'),
  )
  return paths.toSorted().map((path) => {
    const text = readFileSync(join(root, path), 'utf8')
    return { path, content: Buffer.from(addVersion(namePublisher(text, vendor))), mode: 0o644 }
  })
}

/** The names in which the pages are written, which are neutral whatever `src/vendor.json` says. */
const namesOfPages = {
  contact: 'maintainers@gatepass.example',
  codeSigningIdentifier: derivations.codeSigningIdentifier(vendorSetting, 'vendor'),
} as const

function namePublisher(text: string, vendor: Vendor): string {
  const { contact, codeSigningIdentifier } = namesOfPages
  return text
    .replaceAll(contact, () => vendor.contact)
    .replaceAll(codeSigningIdentifier, () => vendor.codeSigningIdentifier)
}

/** Inserts the version below the title, which is the first line of every page. */
function addVersion(text: string): string {
  return text.replace('\n', `\n\nThis page describes version ${version}.\n`)
}
