import { extname } from 'node:path'
import type { WindowsPackage } from './windows-package.ts'

/** A file that an MSI installs, with the facts for its tables. */
export interface MsiFile {
  /** Its key in the tables, and its name in the cabinet. */
  readonly id: string
  readonly name: string
  /** The 8.3 name, which the tables need for disks with both kinds of names. */
  readonly shortName: string
  /** Whether its bytes are those of the executable, which the cabinet contains once. */
  readonly kind: 'executable' | 'copy' | 'notices'
}

/** Lists the files of a package; the executable is first, because the others may repeat it. */
export function listMsiFiles({ name, names }: Pick<WindowsPackage, 'name' | 'names'>): MsiFile[] {
  const files = [
    { name: `${name}.exe`, kind: 'executable' } as const,
    ...names.map((copy) => ({ name: copy, kind: 'copy' }) as const),
    // Both programs may be in one directory.
    { name: `${name}-notices.txt`, kind: 'notices' } as const,
  ]
  return files.map((file) => ({ ...file, id: toKey(file.name), shortName: toShortName(name, file.name) }))
}

function toKey(name: string): string {
  return name.replaceAll('-', '_')
}

/** Forms a name of six letters and a number, as Windows does; the digest distinguishes two programs in one directory. */
function toShortName(program: string, name: string): string {
  const digest = [...`${program}/${name}`].reduce((sum, character) => (sum * 31 + character.charCodeAt(0)) % 0xffff, 7)
  const letters = name.replaceAll(/[^a-z0-9]/gi, '').slice(0, 2)
  return `${letters}${digest.toString(16).padStart(4, '0')}~1${extname(name)}`.toUpperCase()
}
