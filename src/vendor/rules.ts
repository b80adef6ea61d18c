import { type Derivation, derivations, type VendorKey } from './setting.ts'

/** The names of POSIX.1, section 8.1, and lower case, which POSIX reserves for applications. */
const variable = /^[A-Za-z_][A-Za-z0-9_]*$/
const variableForm = 'letters, digits and underscores that do not begin with a digit'

const variablePrefix = /^[A-Za-z_]([A-Za-z0-9_]*[A-Za-z0-9])?$/
const variablePrefixForm = `${variableForm}, and do not end with an underscore, which is added`
const foreignPrefixes = {
  values: ['gatepass', 'aws', 'node', 'xdg', 'http', 'https', 'no', 'ssl', 'lc'],
  reason: 'other programs have variables that begin so',
}

/** Every key of the flat form begins with this word. */
const flatKey = /^inference[A-Za-z0-9._-]{1,64}$/
const flatKeyForm = 'inference and then letters, digits, dots, hyphens and underscores'

/** Letters, digits, hyphens and dots (CFBundleIdentifier); preference domains have underscores too. */
const reverseDomain = /^[A-Za-z0-9_-]+(\.[A-Za-z0-9_-]+)+$/

/** Text without control characters, line breaks and invisible formats, and without a space at either end. */
const oneLine = /^(?! )[^\p{C}\p{Zl}\p{Zp}]{1,100}(?<! )$/u

/** Every name of a vendor file, in the order of questions. */
export const vendorRules: Readonly<Record<VendorKey, VendorRule>> = {
  name: {
    summary: 'the vendor of the client, as people write it',
    pattern: /^(?![ ])[^\p{C}\p{Zl}\p{Zp}\\/]{1,64}(?<! )$/u,
    expected: 'a name of at most 64 characters without slashes, and without a space at either end',
  },
  envPrefix: {
    summary: 'what the client’s environment variables begin with, before _HELPER_CONTEXT',
    pattern: variablePrefix,
    expected: variablePrefixForm,
    refused: foreignPrefixes,
  },
  headerPrefix: {
    summary: 'what the platform’s HTTP headers begin with, before -version, -beta and -workspace-id',
    // A token of RFC 9110, section 5.6.2.
    pattern: /^[!#$%&'*+.^_`|~0-9A-Za-z-]*[!#$%&'*+.^_`|~0-9A-Za-z]$/,
    expected: 'the characters of a header’s name (RFC 9110), and no hyphen at the end, which is added',
    refused: { values: ['content', 'proxy', 'sec'], reason: 'headers that begin so belong to HTTP itself' },
  },
  cloudWord: {
    summary: 'the word for the cloud in flat configuration keys, such as inferenceWORDProfile',
    pattern: /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/,
    expected: 'letters, digits, dots, hyphens and underscores, and a letter or digit first',
  },
  keyPrefix: {
    summary: 'what the platform’s API keys begin with',
    pattern: /^[A-Za-z0-9._~+/:=-]{2,64}$/,
    expected: 'at least two of the characters of a key: letters, digits and . _ ~ + / : = -',
  },
  platformEnvPrefix: {
    summary: 'what the variables of the platform’s own tools begin with, before _API_KEY and _BASE_URL',
    pattern: variablePrefix,
    expected: variablePrefixForm,
    refused: foreignPrefixes,
    derive: derivations.platformEnvPrefix,
  },
  cloudConfigDirKey: {
    summary: 'the flat configuration key of the directory with the cloud’s config and credentials files',
    pattern: flatKey,
    expected: flatKeyForm,
    derive: derivations.cloudConfigDirKey,
  },
  cloudCliPathKey: {
    summary: 'the flat configuration key of the cloud’s command-line program',
    pattern: flatKey,
    expected: flatKeyForm,
    derive: derivations.cloudCliPathKey,
  },
  awsService: {
    summary: 'the name that AWS has for the vendor’s platform, in signatures and host names',
    pattern: /^[a-z0-9]([a-z0-9.-]*[a-z0-9])?$/,
    expected: 'lower-case letters, digits, dots and hyphens, and a letter or digit at both ends',
    refused: { values: ['bedrock', 'sts'], reason: 'it is a service of AWS’s own' },
    derive: derivations.awsService,
  },
  keyHelperTtlVariable: {
    summary: 'the coding agent’s variable for how many milliseconds it keeps a key',
    pattern: variable,
    expected: variableForm,
    derive: derivations.keyHelperTtlVariable,
  },
  macosPayloadType: {
    summary: 'the payload type of the client in a configuration profile of macOS, which is its preference domain',
    pattern: reverseDomain,
    expected: 'a reverse domain name: letters, digits, hyphens and underscores, with dots between',
    derive: derivations.macosPayloadType,
  },
  windowsPolicyKey: {
    summary: 'the registry key of the client’s policy on Windows, without the hive',
    // At most 255 characters (Microsoft Learn, "Registry element size limits"), and no slash, which PowerShell takes for a backslash.
    pattern: /^(?!(HKEY_|HKLM|HKCU))[^\p{C}\p{Zl}\p{Zp}\\/]{1,255}(\\[^\p{C}\p{Zl}\p{Zp}\\/]{1,255})*$/iu,
    expected: 'names with a backslash between them, without the hive, such as SOFTWARE\\Policies\\Acme',
    derive: derivations.windowsPolicyKey,
  },
  linuxManagedFile: {
    summary: 'the path of the client’s managed file on Linux',
    pattern: /^(\/(?!\.{1,2}(\/|$))[^\p{C}\p{Zl}\p{Zp}/]{1,255})+$/u,
    expected: 'an absolute path without . and .. in it',
    derive: derivations.linuxManagedFile,
  },
  codeSigningIdentifier: {
    summary: 'what identifiers in code signatures begin with on macOS, before .PROGRAM',
    pattern: /^[A-Za-z0-9-]+(\.[A-Za-z0-9-]+)+$/,
    expected: 'a reverse domain name: letters, digits and hyphens, with dots between',
    derive: derivations.codeSigningIdentifier,
  },
  publisher: {
    summary: 'who publishes these programs, as packages and Windows show it',
    pattern: oneLine,
    expected: 'one line of at most 100 characters, without a space at either end',
    derive: derivations.publisher,
  },
  contact: {
    summary: 'the mail address for questions about these programs and for reports of security',
    pattern: /^([!#-'*+./0-9=?A-Z^_`a-z{|}~-]+@[A-Za-z0-9.-]+)?$/,
    expected: 'a mail address, such as desktop@example.com',
    derive: derivations.contact,
  },
  helpUrl: {
    summary: 'the page on which users of these programs find help',
    // Visible ASCII without quotes and angle brackets, because it goes into markup and tables.
    pattern: /^(https?:\/\/[!#-;=?-~]{1,200})?$/,
    expected: 'an address that begins with https:// or http://',
    derive: derivations.helpUrl,
  },
  licence: {
    summary: 'the licence of the packages, as an SPDX expression',
    pattern: /^[A-Za-z0-9.+()-][A-Za-z0-9.+() -]{1,99}$/,
    expected: 'an SPDX expression, such as Apache-2.0 or LicenseRef-Acme',
    derive: derivations.licence,
  },
}

/** The rule for one name of a vendor file. */
interface VendorRule {
  /** One line, for people who look up the name in their client's documentation. */
  readonly summary: string
  readonly pattern: RegExp
  /** The end of a message that begins with "expected". */
  readonly expected: string
  /** Unusable values of the right form, in lower case, and the reason. */
  readonly refused?: { readonly values: readonly string[]; readonly reason: string }
  /** Derives the name if the file does not contain it; absent if the file must contain it. */
  readonly derive?: Derivation | undefined
}
