// The identity tokens in the answer of an address: one that an option names, or the one that GitHub Actions gives a job.

import { isHeaderName, isSendableValue } from '../../contract/headers.ts'
import { toSha256 } from '../../runtime/digest.ts'
import { expandHome, readIfPresent } from '../../runtime/disk.ts'
import { HelperError } from '../../runtime/failure.ts'
import type { Host } from '../../runtime/host.ts'
import { Secret, type SecretHeader } from '../../runtime/secret.ts'
import { type PrepareIdentity, parseAddress, requireOption, type WorkloadOptions } from './identity-source.ts'

/**
 * Prepares the token in the answer of an address. Headers for the request come from a file or variable, because other users can list
 * arguments.
 */
export const prepareUrl: PrepareIdentity = async (host, options, call) => {
  const address = requireOption(options, 'identity-url', 'write the address', call)
  const url = parseAddress(address, 'identity-url', 'any-host')
  const lines = await readHeaderLines(host, options)
  const headers = lines.flatMap(({ text, location }) => parseHeaderLines(text, location))
  const name = `${url.origin}${url.pathname}`
  const renewalHint = `check what ${name} answers`
  return {
    token: `the identity token from ${name}`,
    detail: headers.length > 0 ? `, with ${headers.length} headers of your own` : '',
    // The headers may decide whose token is returned. They may be secret, so their digests are used.
    inputs: { url: url.href, headers: lines.map(({ text }) => toSha256(text)) },
    audience: options.audience,
    renewalHint,
    audienceHint: 'ask for that audience in identity-url, or correct audience',
    obtain: async (mint) =>
      (await import('./fetch-identity-token.ts')).fetchIdentityToken(
        { name, url, headers, scope: 'any-host', field: options['identity-field'], hint: renewalHint },
        mint,
      ),
  }
}

/** Prepares the token that GitHub issues to a job of a workflow (GitHub documentation, "OpenID Connect reference"). */
export const prepareGithubActions: PrepareIdentity = ({ env }, { audience }) => {
  const { [urlVariable]: address, [tokenVariable]: token } = env
  if (!address || !token)
    throw new HelperError(
      'not-configured',
      `this is not a job of GitHub Actions that may request an identity token: ${address ? tokenVariable : urlVariable} is not set`,
      permissionHint,
    )
  const url = parseAddress(address, urlVariable, 'any-host')
  if (audience !== undefined) url.searchParams.set('audience', audience)
  const headers = [
    ['authorization', new Secret(`Bearer ${token}`)],
    ['accept', new Secret('application/json')],
  ] as const
  return {
    token: 'the identity token from GitHub Actions',
    detail: ` at ${url.host}`,
    // Both differ in each job. The token is a secret, so its digest is used.
    inputs: { url: url.href, token: toSha256(token) },
    audience,
    renewalHint: permissionHint,
    obtain: async (call) =>
      (await import('./fetch-identity-token.ts')).fetchIdentityToken(
        { name: 'GitHub Actions', url, headers, scope: 'any-host', field: 'value', hint: permissionHint },
        call,
      ),
  }
}

const urlVariable = 'ACTIONS_ID_TOKEN_REQUEST_URL'
const tokenVariable = 'ACTIONS_ID_TOKEN_REQUEST_TOKEN'
const permissionHint = 'give the job this permission in its workflow file: permissions: {id-token: write}'

async function readHeaderLines(
  { env, home }: Pick<Host, 'env' | 'home'>,
  options: WorkloadOptions,
): Promise<HeaderLines[]> {
  const { 'identity-headers-file': file, 'identity-headers-variable': variable } = options
  const found: HeaderLines[] = []
  if (file !== undefined) {
    const path = expandHome(file, home)
    found.push({ text: requireText(await readIfPresent(path), `the file ${path}`), location: path })
  }
  if (variable !== undefined)
    found.push({ text: requireText(env[variable], `the variable ${variable}`), location: `variable ${variable}` })
  return found
}

function requireText(text: string | undefined, location: string): string {
  if (text) return text
  throw new HelperError(
    'not-configured',
    `${location}, which should hold the headers to send, does not exist or is empty`,
    `put the headers there, one 'Name: value' on each line, or remove the setting`,
  )
}

/**
 * Parses `Name: value` lines, and skips empty ones.
 * @param location The file or variable with the lines, for the message.
 * @throws {HelperError} `not-configured` with the number of the line, but without its text.
 */
function parseHeaderLines(text: string, location: string): SecretHeader[] {
  return text.split(/\r?\n/).flatMap((line, index) => {
    if (line.trim() === '') return []
    const [, name = '', value = ''] = /^([^:]+):(.*)$/.exec(line) ?? []
    if (!isHeaderName(name.trim()) || !isSendableValue(value.trim()))
      throw new HelperError(
        'not-configured',
        `line ${index + 1} of ${location} is not a header`,
        "write each header on a line of its own, as 'Name: value'",
      )
    return [[name.trim(), new Secret(value.trim())] as const]
  })
}

interface HeaderLines {
  readonly text: string
  /** The file or variable with the headers, for messages. */
  readonly location: string
}
