import type { Oidc } from '../../config/document.ts'
import type { ValueRule } from '../../config/field.ts'
import { isDrivePath } from '../../config/fields.ts'
import { createFinding, type Finding } from '../../config/finding.ts'
import { parseValue } from '../../config/parse-value.ts'
import type { ReadResult } from '../../config/read/read-document.ts'
import { type Headers, isHeaderName, isSendableValue } from '../../contract/headers.ts'
import { redirectPorts } from '../../contract/oauth-names.ts'
import { isSecureAddress } from '../../runtime/network/addresses.ts'
import { isObject, isText } from '../../runtime/values/json-value.ts'
import { joinPath } from '../../runtime/values/position.ts'
import type { OidcSettings } from '../../sources/oauth/oidc/oidc-settings.ts'
import { listMissingFields, neededFields, toOidcSettings } from '../credentials/sign-in-settings.ts'

/** The settings of a device's document about its configuration server. A served document cannot set them. */
export interface TrustAnchor {
  /** `bootstrapUrl`. */
  readonly url?: string | undefined
  /** `bootstrapEnabled`: whether the client sends requests to the server. */
  readonly isEnabled: boolean
  /** `trustBootstrapDelivery`: whether values that need consent apply without it. Only the name is documented; our reading. */
  readonly isDeliveryTrusted: boolean
  readonly signIn: ServerSignIn
}

/** How the client signs in at its configuration server. */
export type ServerSignIn =
  /** A person signs in, and the access token is sent as a bearer token. */
  | { readonly kind: 'oidc'; readonly settings: OidcSettings }
  /** Fixed headers; those that a program prints override them. */
  | { readonly kind: 'headers'; readonly headers: Headers; readonly helper?: HeadersHelper | undefined }
  /** Nothing is configured. A client then signs its person in at the server itself, with a device code. */
  | { readonly kind: 'none' }

/** A program that prints headers for the configuration server. */
export interface HeadersHelper {
  /** An absolute path; it gets no arguments. */
  readonly command: string
  /** A client accepts only headers. `headers or a token`: a credential helper is used instead, and its token is sent as a bearer token. */
  readonly prints: 'headers' | 'headers or a token'
}

/** The anchor of a device without settings for a configuration server. */
export const emptyAnchor: TrustAnchor = { isEnabled: true, isDeliveryTrusted: false, signIn: { kind: 'none' } }

/** Parses the trust anchor in a device's document, in any container. An invalid value is dropped, with a finding. */
export function parseTrustAnchor({ unknownKeys, shape }: Pick<ReadResult, 'unknownKeys' | 'shape'>): {
  readonly anchor: TrustAnchor
  readonly findings: readonly Finding[]
} {
  const reader = new AnchorReader(
    new Map(unknownKeys.flatMap(({ keys, value }) => (keys.length === 1 ? [[keys[0]!, value] as const] : []))),
    shape === 'managed' ? 'managed' : 'native',
  )
  const url = reader.parseUrl()
  const anchor = {
    url,
    isEnabled: (reader.parse('bootstrapEnabled', { type: 'boolean' }) ?? true) as boolean,
    isDeliveryTrusted: (reader.parse('trustBootstrapDelivery', { type: 'boolean' }) ?? false) as boolean,
    signIn: reader.parseSignIn(),
  }
  return { anchor, findings: reader.findings }
}

class AnchorReader {
  readonly findings: Finding[] = []
  readonly #values: ReadonlyMap<string, unknown>
  readonly #encoding: 'native' | 'managed'

  constructor(values: ReadonlyMap<string, unknown>, encoding: 'native' | 'managed') {
    this.#values = values
    this.#encoding = encoding
  }

  /** Parses the value of a key by its rule; `undefined` if it is absent or invalid. */
  parse(key: string, rule: ValueRule): unknown {
    if (!this.#values.has(key)) return undefined
    const { value, findings } = parseValue(rule, this.#values.get(key), this.#encoding, joinPath('', key))
    this.findings.push(...findings)
    return value
  }

  parseUrl(): string | undefined {
    const url = this.parse('bootstrapUrl', { type: 'text', format: 'uri' })
    if (!isText(url) || isSecureAddress(url)) return isText(url) ? url : undefined
    this.#report(
      'insecure-url',
      'bootstrapUrl',
      'a client asks its configuration server over https alone',
      'use https://',
    )
    return undefined
  }

  parseSignIn(): ServerSignIn {
    const oidc = this.#parseOidc()
    const headers = this.#parseHeaders()
    const helper = this.#parseHelper()
    const hasHeaders = headers !== undefined || helper !== undefined
    if (oidc && hasHeaders)
      this.#report(
        'other-kind',
        'bootstrapOidc',
        'people sign in, so the headers beside it are not sent',
        'remove one of the two',
      )
    if (oidc) return { kind: 'oidc', settings: oidc }
    if (!hasHeaders) return { kind: 'none' }
    return {
      kind: 'headers',
      headers: headers ?? {},
      helper: helper === undefined ? undefined : { command: helper, prints: 'headers' },
    }
  }

  #parseOidc(): OidcSettings | undefined {
    const value = this.parse('bootstrapOidc', { type: 'object' })
    if (!isObject(value)) return undefined
    const fields = Object.entries(oidcRules).flatMap(([name, rule]) => {
      if (value[name] === undefined) return []
      const parsed = parseValue(rule, value[name], 'native', `bootstrapOidc.${name}`)
      this.findings.push(...parsed.findings)
      return parsed.value === undefined ? [] : [[name, parsed.value] as const]
    })
    // Every value has passed the rule of its field.
    const oidc: Oidc = { ...(Object.fromEntries(fields) as Oidc), bearerTokenType: 'access_token' }
    const settings = toOidcSettings(oidc)
    if (!settings)
      this.#report(
        'required-missing',
        'bootstrapOidc',
        `it ${neededFields}`,
        `set ${listMissingFields(oidc).join(' and ')} in it`,
      )
    return settings
  }

  #parseHeaders(): Headers | undefined {
    const value = this.parse('bootstrapHeaders', { type: 'object' })
    if (!isObject(value)) return undefined
    const sendable = Object.entries(value).filter(([name, text]) => this.#isSendable(name, text))
    return Object.fromEntries(sendable) as Headers // every value is a text
  }

  #isSendable(name: string, value: unknown): boolean {
    if (isHeaderName(name) && isText(value) && isSendableValue(value)) return true
    const path = `bootstrapHeaders${joinPath('', name).startsWith('[') ? '' : '.'}${joinPath('', name)}`
    this.#report('header-refused', path, 'HTTP cannot carry this header', 'use a name and a text of visible ASCII')
    return false
  }

  #parseHelper(): string | undefined {
    const path = this.parse('bootstrapHeadersHelper', { type: 'text', minLength: 1 })
    if (!isText(path)) return undefined
    if (/^\/(?!\/)/.test(path) || isDrivePath(path)) return path
    this.#report('relative-path', 'bootstrapHeadersHelper', 'it is not an absolute path', 'write the full path')
    return undefined
  }

  #report(...[code, ...rest]: Parameters<typeof createFinding>): void {
    this.findings.push(createFinding(code, ...rest))
  }
}

/** The members of `bootstrapOidc`. */
const oidcRules: Readonly<Partial<Record<keyof Oidc, ValueRule>>> = {
  clientId: { type: 'text', minLength: 1 },
  issuer: { type: 'text', format: 'uri' },
  authorizationUrl: { type: 'text', format: 'uri' },
  tokenUrl: { type: 'text', format: 'uri' },
  scopes: { type: 'text', minLength: 1 },
  redirectPort: { type: 'integer', ...redirectPorts },
  additionalRedirectReferrerHosts: { type: 'text' },
}
