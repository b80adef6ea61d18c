/** What differs between the clients of two vendors, as a vendor file says it. What is left out is derived; see `rules.ts`. */
export interface VendorSetting {
  /** As people read it. */
  readonly name: string
  /** What the client's environment variables begin with, without the underscore. */
  readonly envPrefix: string
  /** What the platform's HTTP headers begin with, without the hyphen. */
  readonly headerPrefix: string
  /** The word for the cloud in flat configuration keys. */
  readonly cloudWord: string
  /** What the platform's API keys begin with. */
  readonly keyPrefix: string
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
  /** What identifiers in the code signatures of our programs begin with on macOS; a dot and the program's name follow. */
  readonly codeSigningIdentifier?: string
  /** Who publishes our programs, as packages and Windows show it. */
  readonly publisher?: string
}

/** A name that a vendor file can set. */
export type VendorKey = keyof VendorSetting
