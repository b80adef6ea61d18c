import { basename } from 'node:path'
import { NtExecutable, NtExecutableResource, Resource } from 'resedit'
import { version } from '../../src/version.ts'

/** The description that Windows shows of a file: in its properties, in the task manager, and when it asks for consent. */
export interface WindowsDescription {
  /** Path or name of the file, with `.exe`. */
  readonly file: string
  readonly summary: string
  readonly publisher: string
  readonly licence: string
}

/** Sets our name, description and version in a Windows runtime, and removes those of Node, including its icon. */
export function describeWindowsFile(
  runtime: Buffer,
  { file, summary, publisher, licence }: WindowsDescription,
): Buffer {
  const executable = NtExecutable.from(runtime)
  const resources = NtExecutableResource.from(executable)
  resources.entries = resources.entries.filter(({ type }) => !replacedTypes.has(type))
  const info = Resource.VersionInfo.create(language.lang, application, [])
  info.setFileVersion(version)
  info.setProductVersion(version)
  info.setStringValues(language, {
    CompanyName: publisher,
    FileDescription: summary,
    FileVersion: version,
    InternalName: basename(file, '.exe'),
    LegalCopyright: `${publisher}, ${licence}`,
    OriginalFilename: basename(file),
    ProductName: 'Gatepass',
    ProductVersion: version,
  })
  info.outputToResourceEntries(resources.entries)
  resources.outputResource(executable)
  return Buffer.from(executable.generate())
}

/** Icon, icon group and version (Portable Executable specification). */
const replacedTypes: ReadonlySet<number | string> = new Set([3, 14, 16])

/** American English in UTF-16, as in Node's own description. */
const language = { lang: 1033, codepage: 1200 } as const

/** `VS_FIXEDFILEINFO` of an application for Windows NT. */
const application = { fileFlagsMask: 0x3f, fileOS: 0x4_0004, fileType: 1 } as const
