// The used part of the library: with its own types, the browser's globals would be visible in every file of ours.

interface ResourceEntry {
  readonly type: string | number
}

interface Language {
  readonly lang: number
  readonly codepage: number
}

interface Executable {
  generate(): ArrayBuffer
}

interface ExecutableResource {
  entries: ResourceEntry[]
  outputResource(executable: Executable): void
}

interface VersionInfo {
  setFileVersion(version: string): void
  setProductVersion(version: string): void
  setStringValues(language: Language, values: Readonly<Record<string, string>>): void
  outputToResourceEntries(entries: ResourceEntry[]): void
}

export declare const NtExecutable: { from(file: Buffer): Executable }

export declare const NtExecutableResource: { from(executable: Executable): ExecutableResource }

export declare const Resource: {
  readonly VersionInfo: {
    /** `fixed` is the `VS_FIXEDFILEINFO`; members that are not given are 0. */
    create(lang: number, fixed: Readonly<Record<string, number>>, strings: readonly []): VersionInfo
  }
}
