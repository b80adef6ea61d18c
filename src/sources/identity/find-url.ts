import { sha256 } from '../../runtime/digest.ts'
import { HelperError } from '../../runtime/failure.ts'
import { expandHome, readIfPresent } from '../../runtime/files.ts'
import type { Host } from '../../runtime/host.ts'
import { parseAddress } from './address.ts'
import type { FindIdentity, WorkloadOptions } from './identity-source.ts'
import { parseHeaderLines } from './parse-header-lines.ts'
import { demandOption } from './required.ts'

/** An address that answers with the token, asked with headers that no argument shows. */
export const findUrl: FindIdentity = async (host, options) => {
  const url = parseAddress(demandOption(options, 'identity-url', 'write the address'), 'identity-url', 'anybody')
  const lines = await readHeaderLines(host, options)
  const headers = lines.flatMap(({ text, place }) => parseHeaderLines(text, place))
  const who = `${url.origin}${url.pathname}`
  const renewal = `check what ${who} answers`
  return {
    token: `the identity token from ${who}`,
    step: `the identity token from ${who}${headers.length > 0 ? `, asked with ${headers.length} headers of yours` : ''}`,
    // The headers may say who asks, so that another one gets another entry; a digest does not tell them.
    inputs: { url: url.href, headers: lines.map(({ text }) => sha256(text)) },
    audience: options.audience,
    renewal,
    audienceWay: 'ask for that audience in identity-url, or correct audience',
    obtain: async (call) =>
      (await import('./ask-web.ts')).askWeb(
        { who, url, headers, reach: 'anybody', field: options['identity-field'], way: renewal },
        call,
      ),
  }
}

interface HeaderLines {
  readonly text: string
  /** For messages. */
  readonly place: string
}

async function readHeaderLines(
  { env, home }: Pick<Host, 'env' | 'home'>,
  options: WorkloadOptions,
): Promise<HeaderLines[]> {
  const { 'identity-headers-file': file, 'identity-headers-variable': variable } = options
  const found: HeaderLines[] = []
  if (file !== undefined) {
    const path = expandHome(file, home)
    found.push({ text: present(await readIfPresent(path), `the file ${path}`), place: path })
  }
  if (variable !== undefined)
    found.push({ text: present(env[variable], `the variable ${variable}`), place: `variable ${variable}` })
  return found
}

function present(text: string | undefined, what: string): string {
  if (text) return text
  throw new HelperError(
    'not-configured',
    `${what}, which holds headers to send, is not there or empty`,
    `put the headers there, one 'Name: value' a line, or take the setting away`,
  )
}
