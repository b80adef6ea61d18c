// Folder: what a vendor file can say, which forms its names have, and what is derived from them.

/** The names that differ between the clients of two vendors, as a vendor file holds them. An absent name is derived; see `rules.ts`. */
export interface VendorSetting {
  /** The vendor's name, for people. */
  readonly name: string
  /** The beginning of the client's environment variables, without the underscore. */
  readonly envPrefix: string
  /** The beginning of the platform's HTTP headers, without the hyphen. */
  readonly headerPrefix: string
  /** The word for the cloud in flat configuration keys. */
  readonly cloudWord: string
  /** The beginning of the platform's API keys. */
  readonly keyPrefix: string
  /** The beginning of the variables of the platform's own tools, without the underscore. */
  readonly platformEnvPrefix?: string
  /** The flat configuration key of the directory with the cloud's files. */
  readonly cloudConfigDirKey?: string
  /** The flat configuration key of the cloud's command-line program. */
  readonly cloudCliPathKey?: string
  /** The name that AWS has for the vendor's platform as it sells it. */
  readonly awsService?: string
  /** The variable of the vendor's coding agent that says for how many milliseconds it keeps a key. */
  readonly keyHelperTtlVariable?: string
  /** The type of the client's payload in a configuration profile of macOS, which is its preference domain. */
  readonly macosPayloadType?: string
  /** The registry key of the client's policy on Windows, below the hive. */
  readonly windowsPolicyKey?: string
  /** The client's managed file on Linux. */
  readonly linuxManagedFile?: string
  /** The beginning of the identifiers in the code signatures of our programs on macOS; a dot and the program's name follow. */
  readonly codeSigningIdentifier?: string
  /** The publisher of our programs, as packages and Windows show it. */
  readonly publisher?: string
}

/** A name that a vendor file can set. */
export type VendorKey = keyof VendorSetting

/** The name of the vendor file in the machine's directory. */
export const vendorFileName = 'vendor.json'

/** The source of the names of this process. */
export interface NameSource {
  /** The build, the machine's file, or the file that `gatepass --vendor` names. */
  readonly from: 'build' | 'machine' | 'option'
  /** The path of the file; absent if the build decides. */
  readonly path?: string
  /** The content of the file; absent if the build decides, or if there is a failure. */
  readonly setting?: VendorSetting
  /** Why no name can be used. A program checks this before it uses a name. */
  readonly failure?: { readonly kind: 'not-configured' | 'late'; readonly message: string; readonly hint: string }
  /** Every look at a file that decided this (`Look` of the runtime): a later call that sees the same has the same names. */
  readonly looks: readonly object[]
}

/**
 * A property of the process, and not of this module, because the piece of a program that reads the file has its own copy of this
 * module, and the rest of the program is loaded after it.
 */
const key = Symbol.for('gatepass.names')
const holder = globalThis as { [key]?: NameSource }

/** Decides the names of this process. Called once, before anything is loaded that uses one. */
export function setNameSource(source: NameSource): void {
  holder[key] = source
}

/** The decided source; the build if nobody looked further. */
export function findNameSource(): NameSource {
  return holder[key] ?? { from: 'build', looks: [] }
}
