import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from '../tree.ts'

/**
 * Renders the installation script of an archive: a batch file for Windows, a POSIX shell script for other systems, which also installs the
 * `shared` files, each at its path in the archive.
 */
export function renderInstaller(
  platform: string,
  {
    name,
    version,
    links,
    shared = [],
  }: { name: string; version: string; links: readonly string[]; shared?: readonly string[] },
): { file: string; text: string } {
  const file = platform === 'win32' ? 'install.cmd' : 'install.sh'
  const template = readFileSync(join(root, 'packaging', file), 'utf8')
  const text = template
    .replaceAll('@NAME@', name)
    .replaceAll('@VERSION@', version)
    .replaceAll('@LINKS@', links.join(' '))
    .replaceAll('@SHARED@', shared.join(' '))
  return { file, text: platform === 'win32' ? text.replaceAll('\n', '\r\n') : text }
}
