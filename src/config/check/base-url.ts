import { isLoopback } from '../../runtime/network/loopback.ts'
import { createFinding } from '../finding.ts'
import { type Rule, reportMissing } from './rule.ts'

/** Rules about the address of the gateway. */
export const baseUrlRules: readonly Rule[] = [
  function validateBaseUrl(subject) {
    const { inference } = subject
    if (inference.provider !== 'gateway' || inference.baseUrl !== undefined) return []
    return reportMissing(
      subject,
      'inference.baseUrl',
      'the gateway has no address',
      'set it to the full URL of the gateway',
    )
  },

  function validateBaseUrlScheme({ inference, spell }) {
    const url = inference.baseUrl ? new URL(inference.baseUrl) : undefined
    if (url?.protocol !== 'http:' || isLoopback(url.hostname)) return []
    return [
      createFinding(
        'insecure-base-url',
        spell('inference.baseUrl'),
        'the credential travels unencrypted',
        'use https://',
      ),
    ]
  },

  function validateBaseUrlQuery({ inference, spell }) {
    const [beforeFragment = '', fragment] = inference.baseUrl?.split('#') ?? []
    const parts = [beforeFragment.includes('?') && 'a query', fragment !== undefined && 'a fragment'].filter(Boolean)
    if (parts.length === 0) return []
    return [
      createFinding(
        'base-url-query',
        spell('inference.baseUrl'),
        `it has ${parts.join(' and ')}, and clients put the path of each request behind it`,
        'end it with the path, and send what the gateway needs as a header (customHeaders)',
      ),
    ]
  },

  function validateBaseUrlPath({ inference, spell }) {
    const [end] = /\/v1(\/messages)?(?=\/*$)/.exec(inference.baseUrl ? new URL(inference.baseUrl).pathname : '') ?? []
    if (end === undefined) return []
    return [
      createFinding(
        'base-url-api-path',
        spell('inference.baseUrl'),
        `it ends with ${end}, so requests go to …${end}/v1/messages`,
        `remove ${end} from its end`,
      ),
    ]
  },
]
