/** The shapes in which a helper can print what it gives, for the clients that read them. */
export const outputFormats = [
  'json',
  'token',
  'headers',
  'headers-json',
  'access-token-json',
  'proxy-authorization',
  'exec-credential',
  'credential-process',
  'sts-credentials',
  'bazel',
  'git',
] as const

/** One of {@link outputFormats}; options are validated against that list. */
export type OutputFormat = (typeof outputFormats)[number]

/** The name of each format in messages, whether it carries headers, and how early its client asks again. */
export const formatFacts: Readonly<Record<OutputFormat, FormatFacts>> = {
  json: { name: 'the JSON document', headers: 'carried' },
  token: { name: 'a bare token', headers: 'refused' },
  headers: { name: 'a list of headers', headers: 'carried' },
  'headers-json': { name: 'a JSON object of headers', headers: 'carried' },
  // Hermes asks again a minute before the end that the answer states (`agent/command_token_source.py`).
  'access-token-json': { name: 'an access token response', headers: 'refused', renewedBeforeSec: 60 },
  'proxy-authorization': { name: 'the value of one header', headers: 'refused' },
  'exec-credential': { name: 'an ExecCredential', headers: 'refused', renewedBeforeSec: 0 },
  'credential-process': {
    name: 'a credential_process document',
    headers: 'left out',
    // The AWS tools renew credentials that end within a quarter of an hour (botocore, `_advisory_refresh_timeout`).
    renewedBeforeSec: 900,
  },
  'sts-credentials': {
    name: 'the answer of AWS STS',
    headers: 'left out',
    renewedBeforeSec: 900, // as above; whether its clients read the end at all is not verified
  },
  bazel: { name: "an answer of Bazel's credential helpers", headers: 'carried', renewedBeforeSec: 0, actions: ['get'] },
  git: {
    name: "an answer of Git's credential helpers",
    headers: 'refused',
    renewedBeforeSec: 0,
    actions: ['get', 'store', 'erase'],
  },
}

/** Whether a format holds the keys of an AWS identity in place of a token. */
export function isOfAwsKeys(format: OutputFormat): boolean {
  return formatFacts[format].headers === 'left out'
}

/** The values that a format can carry, and those that its clients pass to a helper. */
interface FormatFacts {
  /** The format as the subject of a message. */
  readonly name: string
  /** `refused`: without the headers a request would fail, and nobody would see why. `left out`: they are for requests of another kind. */
  readonly headers: 'carried' | 'refused' | 'left out'
  /**
   * For a client that is told when the token expires, whatever its ttl: how many seconds earlier it asks again. Absent for a client
   * that is not told.
   */
  readonly renewedBeforeSec?: number
  /** The word that the client appends to the arguments, one of these. Such a client sends a request on stdin. */
  readonly actions?: readonly string[]
}
